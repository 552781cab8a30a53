// An experiment on two models of its network, with the same seeds: each figure, and the difference.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/experiment/numbers.hpp"

namespace shingle {

struct Audit {
  std::string network, by;  // "fluid model", "shingle-ns3 3.37"
  size_t runs = 0;          // of the latter
  std::vector<sim::AuditedNumber> numbers{};
  std::vector<std::string> breaches{};  // of the latter
};

// REQUIRES: at least one run of each, all of the experiment.
Audit audit_of(const sim::Experiment& experiment, const std::vector<sim::RunResult>& runs,
               const std::vector<sim::RunResult>& by);

std::string audit_text(const Audit& audit);
nlohmann::ordered_json json_of(const Audit& audit);

}  // namespace shingle
