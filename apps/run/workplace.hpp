// The workplace that the options of `shingle run` mean (apps/client/workplace.hpp).
#pragma once

#include "apps/client/workplace.hpp"
#include "apps/run/run_options.hpp"
#include "apps/system/stop_signals.hpp"

namespace shingle {

// Opens it, unless the user wants the run to stop.
Result<Workplace> workplace_of(const RunOptions& options, StopSignals& signals);

}  // namespace shingle
