#include "apps/simulate/summary_json.hpp"

#include <cstdio>

#include "apps/cli/command_line.hpp"

namespace shingle {
namespace {

using namespace sim;
using Json = nlohmann::ordered_json;

// The half-width is null for a single run, of which nothing is known.
Json interval(const Interval& interval) {
  Json json{{"mean", interval.mean}};
  json["half_width"] = interval.values < 2 ? Json() : Json(interval.half_width);
  return json;
}

Json source_json(const ExperimentSource& said, const SourceSummary& source) {
  Json json{{"model", said.model},
            {"owner", said.owner.value},
            {"frames", source.frames},
            {"frames_per_second", interval(source.frames_per_second)},
            {"p50_ms", interval(source.p50_ms)}};
  json["p99_ms"] = source.p99_ms ? interval(*source.p99_ms) : Json();
  json["p99_ms_together"] = source.p99_ms_together ? Json(*source.p99_ms_together) : Json();
  json["dropped"] = interval(source.dropped);
  json["late"] = interval(source.late);
  json["lost"] = interval(source.lost);
  for (size_t i = 0; i < causes; ++i)
    json["cause_ms"][name_of(static_cast<Cause>(i))] = interval(source.cause_ms[i]);
  return json;
}

Json node_json(const NodeSummary& node) {
  return {{"node", node.node.value},
          {"busy", interval(node.busy)},
          {"tiles_per_second", interval(node.tiles_per_second)},
          {"stolen_tiles", interval(node.stolen_tiles)},
          {"sent_bytes_per_second", interval(node.sent_bytes_per_second)},
          {"received_bytes_per_second", interval(node.received_bytes_per_second)},
          {"peak_bytes", interval(node.peak_bytes)},
          {"watts", interval(node.watts)}};
}

Json link_json(const LinkSummary& link) {
  return {{"from", link.from.value},
          {"to", link.to.value},
          {"bytes_per_second", interval(link.bytes_per_second)},
          {"busy", interval(link.busy)}};
}

Json wire_json(const WireSummary& wire) {
  return {{"wire", wire.name},
          {"bytes_per_second", interval(wire.bytes_per_second)},
          {"busy", interval(wire.busy)}};
}

Json flow_json(const FlowSummary& flow) {
  return {{"from", flow.from.value},
          {"to", flow.to.value},
          {"bytes", flow.bytes},
          {"seconds", interval(flow.seconds)},
          {"unfinished_runs", flow.unfinished}};
}

std::string hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

Json runs_json(const std::vector<RunResult>& runs) {
  Json all = Json::array();
  for (const RunResult& run : runs)
    all.push_back(
        {{"seed", run.seed}, {"trace_hash", hexadecimal(run.trace_hash)}, {"events", run.steps}});
  return all;
}

template <class List>
Json hashes_json(const List& list) {
  Json json = Json::array();
  for (const auto& [name, hash] : list) json.push_back({{"name", name}, {"hash", to_string(hash)}});
  return json;
}

}  // namespace

Json json_of(const Provenance& provenance) {
  return {{"program", program_version},
          {"file", provenance.file},
          {"experiment", to_string(provenance.experiment)},
          {"models", hashes_json(provenance.models)},
          {"plans", hashes_json(provenance.plans)},
          {"profiles", hashes_json(provenance.profiles)}};
}

Json json_of(const Experiment& experiment, const Provenance& provenance,
             const std::vector<RunResult>& runs, const Summary& summary) {
  Json json{{"title", experiment.file.title}, {"provenance", json_of(provenance)}};
  const std::string& simulator = runs.front().simulator;
  json["network"] = simulator.empty() ? "fluid" : simulator;
  json["runs"] = runs_json(runs);
  json["measured_seconds"] = in_nanoseconds(summary.measured) / 1e9;
  json["drawn"] = summary.drawn;
  json["sources"] = json["nodes"] = json["links"] = json["wires"] = json["flows"] = Json::array();
  for (size_t i = 0; i < summary.sources.size(); ++i)
    json["sources"].push_back(source_json(experiment.file.sources[i], summary.sources[i]));
  for (const NodeSummary& node : summary.nodes) json["nodes"].push_back(node_json(node));
  for (const LinkSummary& link : summary.links) json["links"].push_back(link_json(link));
  for (const WireSummary& wire : summary.wires) json["wires"].push_back(wire_json(wire));
  for (const FlowSummary& flow : summary.flows) json["flows"].push_back(flow_json(flow));
  json["watts"] = interval(summary.watts);
  json["joules_per_frame"] =
      summary.joules_per_frame ? interval(*summary.joules_per_frame) : Json();
  json["plan_switches"] = interval(summary.switches);
  json["model_errors"] = Json::array();
  for (const KnownError& error : summary.errors)
    json["model_errors"].push_back(
        {{"quantity", error.quantity}, {"share", error.share}, {"source", error.source}});
  json["warnings"] = summary.warnings;
  json["events"] = summary.events;
  json["breaches"] = summary.breaches;
  return json;
}

}  // namespace shingle
