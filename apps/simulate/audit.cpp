#include "apps/simulate/audit.hpp"

#include <cstdio>

#include "apps/simulate/text_table.hpp"

namespace shingle {
namespace {

using namespace sim;
using Json = nlohmann::ordered_json;

std::string name_of(const RunResult& run) {
  return run.simulator.empty() ? "fluid model" : run.simulator;
}

std::string figure(const Interval& value) {
  char line[96];
  if (value.values < 2 || value.half_width == 0.0)
    std::snprintf(line, sizeof line, "%.5g", value.mean);
  else
    std::snprintf(line, sizeof line, "%.5g +/- %.2g", value.mean, value.half_width);
  return line;
}

std::string difference(const AuditedNumber& number) {
  const std::optional<double> share = number.share();
  if (!share) return figure({.mean = number.difference(), .values = 1});
  char line[32];
  std::snprintf(line, sizeof line, "%+.2f %%", 100.0 * *share);
  return line;
}

Json json_of_interval(const Interval& value) {
  return {{"mean", value.mean}, {"half_width_95", value.half_width}, {"values", value.values}};
}

}  // namespace

Audit audit_of(const Experiment& experiment, const std::vector<RunResult>& runs,
               const std::vector<RunResult>& by) {
  const Summary other = summary_of(experiment, by);
  return {.network = name_of(runs.front()),
          .by = name_of(by.front()),
          .runs = by.size(),
          .numbers = side_by_side(summary_of(experiment, runs), other),
          .breaches = other.breaches};
}

std::string audit_text(const Audit& audit) {
  TextTable table;
  table.add({"figure", "", audit.network, audit.by, "difference"});
  for (const AuditedNumber& each : audit.numbers)
    table.add({each.number.name, each.number.unit, figure(each.number.value), figure(each.by),
               difference(each)});
  return "\nHeld against " + audit.by + ", " + std::to_string(audit.runs) +
         (audit.runs == 1 ? " run" : " runs with the same seeds") + "\n" + table.str();
}

Json json_of(const Audit& audit) {
  Json json{{"network", audit.network}, {"by", audit.by}, {"runs", audit.runs}};
  json["numbers"] = Json::array();
  for (const AuditedNumber& each : audit.numbers) {
    const std::optional<double> share = each.share();
    json["numbers"].push_back({{"name", each.number.name},
                               {"unit", each.number.unit},
                               {"value", json_of_interval(each.number.value)},
                               {"by", json_of_interval(each.by)},
                               {"difference", each.difference()},
                               {"share", share ? Json(*share) : Json()}});
  }
  json["breaches"] = audit.breaches;
  return json;
}

}  // namespace shingle
