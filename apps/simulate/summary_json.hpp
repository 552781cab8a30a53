// The results of an experiment as JSON, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/simulate/read_experiment.hpp"
#include "sim/experiment/summary.hpp"

namespace shingle {

nlohmann::ordered_json json_of(const sim::Experiment& experiment, const Provenance& provenance,
                               const std::vector<sim::RunResult>& runs,
                               const sim::Summary& summary);

nlohmann::ordered_json json_of(const Provenance& provenance);

}  // namespace shingle
