#include "sim/scenario.hpp"

#include "sim/scenario_script.hpp"

namespace shingle::sim {

namespace {

constexpr std::string_view separator = "=====\n";

bool is_shown(const Script& script, const TraceEvent& event) {
  const std::string_view what = event.what;
  switch (event.kind) {
    case TraceEvent::Kind::computed:
      return script.computes;
    case TraceEvent::Kind::sent:
      if (what == "Piece") return script.pieces;
      return script.messages && what != "Beat" && what != "Hello";
    case TraceEvent::Kind::received:
      return false;
    case TraceEvent::Kind::reported:
      return what != "peer joined" && what != "tile done";
    case TraceEvent::Kind::captured:
    case TraceEvent::Kind::planned:
    case TraceEvent::Kind::counted:
    case TraceEvent::Kind::resent:
      return false;
    case TraceEvent::Kind::delivered:
    case TraceEvent::Kind::failed:
      return true;
  }
  return true;
}

std::string summary(const VirtualCluster& cluster, const Script& script, bool at_rest) {
  std::string text = (at_rest ? "at rest after " : "not at rest at ") +
                     milliseconds(cluster.now().time_since_epoch()) + " ms\n";
  for (const Machine& machine : script.options.machines) {
    const NodeId id = machine.node.id;
    text += "node " + std::to_string(id.value) + ": ";
    if (!cluster.is_up(id)) {
      text += "down\n";
      continue;
    }
    const NodeCounters& counters = cluster.node(id).counters();
    text += std::to_string(counters.tiles_computed) + " tiles computed, " +
            std::to_string(counters.tiles_lent) + " lent, " +
            std::to_string(counters.tiles_stolen) + " stolen, " +
            std::to_string(counters.payload_bytes_sent) + " bytes sent\n";
  }
  return text;
}

}  // namespace

std::string_view script_of(std::string_view file) {
  const size_t place = file.find(separator);
  return place == std::string_view::npos ? file : file.substr(0, place + separator.size());
}

Result<Transcript> run_scenario(std::string_view text) {
  std::string_view commands = script_of(text);
  if (commands.ends_with(separator)) commands.remove_suffix(separator.size());
  Result<Script> read = read_script(commands);
  if (!read) return Error{read.error()};
  Script& script = *read;
  script.options.keep_trace = true;
  VirtualCluster cluster(script.options, *script.model);
  for (const auto& event : script.events) event(cluster);
  const bool at_rest = cluster.run(Time{} + script.until);
  Transcript transcript;
  for (const TraceEvent& event : cluster.trace())
    if (is_shown(script, event)) transcript.text += line_of(event) + "\n";
  transcript.text += summary(cluster, script, at_rest);
  transcript.trace = cluster.trace();
  transcript.trace_hash = cluster.trace_hash();
  transcript.sound = cluster.breaches().empty();
  return transcript;
}

}  // namespace shingle::sim
