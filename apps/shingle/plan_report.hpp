// What a plan is said to cost, and why other ways lost: for `shingle plan --explain` and --json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "partition/deepthings/ftp.hpp"
#include "partition/search/rivals.hpp"
#include "partition/search/rotation_search.hpp"

namespace shingle {

struct PlanReport {
  const Model& model;
  const Cluster& cluster;
  const Goal& goal;
  const FoundRotation& found;
  std::vector<Rival> rivals;
};

std::string explain(const PlanReport& report);

nlohmann::ordered_json report_json(const PlanReport& report);

// DeepThings' scheme, simulated; `nodes` compute, one more is the gateway.
std::string explain(const FtpRun& run, size_t nodes);
nlohmann::ordered_json report_json(const FtpRun& run);

}  // namespace shingle
