// The figures of a run that a sweep compares.
#pragma once

#include "devices/files/sweep_file.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

// In the unit of Objective. None: no frame was delivered, so it is not known.
std::optional<double> figure_of(Objective objective, const Experiment& experiment,
                                const RunResult& run);

// "ms", "J/frame", ...; empty: a plain number.
const char* unit_of(Objective objective);

}  // namespace shingle::sim
