// The programs' log: one line on stderr a note, by spdlog.
#pragma once

#include "apps/system/log.hpp"

namespace shingle {

Log program_log();

}  // namespace shingle
