#include "sim/experiment/numbers.hpp"

#include <map>

namespace shingle::sim {

namespace {

std::string number(uint64_t value) { return std::to_string(value); }

void add_source(const SourceSummary& source, const std::string& name, std::vector<Number>& out) {
  out.push_back({name + "frames delivered", "/s", source.frames_per_second});
  if (!source.latencies_ms.empty()) out.push_back({name + "p50 latency", "ms", source.p50_ms});
  if (source.p99_ms) out.push_back({name + "p99 latency", "ms", *source.p99_ms});
  if (source.p99_ms_together)
    out.push_back({name + "p99 latency of all runs", "ms", interval_of({*source.p99_ms_together})});
  out.push_back({name + "dropped", "of frames", source.dropped});
  out.push_back({name + "late", "of frames", source.late});
  out.push_back({name + "lost", "of frames", source.lost});
  for (size_t cause = 0; cause < causes; ++cause)
    out.push_back(
        {name + "waits for " + name_of(static_cast<Cause>(cause)), "ms", source.cause_ms[cause]});
}

void add_node(const NodeSummary& node, std::vector<Number>& out) {
  const std::string name = "node " + number(node.node.value) + ": ";
  out.push_back({name + "busy", "of the time", node.busy});
  out.push_back({name + "tiles", "/s", node.tiles_per_second});
  out.push_back({name + "stolen", "of tiles", node.stolen_tiles});
  out.push_back({name + "sent", "B/s", node.sent_bytes_per_second});
  out.push_back({name + "received", "B/s", node.received_bytes_per_second});
  out.push_back({name + "memory", "B", node.peak_bytes});
  out.push_back({name + "power", "W", node.watts});
}

}  // namespace

std::vector<Number> numbers_of(const Summary& summary) {
  std::vector<Number> out;
  for (size_t i = 0; i < summary.sources.size(); ++i)
    add_source(summary.sources[i], "source " + number(i + 1) + ": ", out);
  for (const NodeSummary& node : summary.nodes) add_node(node, out);
  for (const LinkSummary& link : summary.links) {
    const std::string name = number(link.from.value) + " to " + number(link.to.value) + ": ";
    out.push_back({name + "sent", "B/s", link.bytes_per_second});
    out.push_back({name + "busy", "of the time", link.busy});
  }
  for (const WireSummary& wire : summary.wires) {
    out.push_back({wire.name + ": carried", "B/s", wire.bytes_per_second});
    out.push_back({wire.name + ": busy", "of the time", wire.busy});
  }
  for (size_t i = 0; i < summary.flows.size(); ++i)
    if (summary.flows[i].unfinished < summary.runs)
      out.push_back({"flow " + number(i + 1) + ": took", "s", summary.flows[i].seconds});
  if (!summary.nodes.empty()) out.push_back({"all nodes: power", "W", summary.watts});
  if (summary.joules_per_frame)
    out.push_back({"all nodes: energy", "J a frame", *summary.joules_per_frame});
  return out;
}

std::vector<AuditedNumber> side_by_side(const Summary& summary, const Summary& by) {
  std::map<std::string, Interval> others;
  for (const Number& each : numbers_of(by)) others[each.name] = each.value;
  std::vector<AuditedNumber> out;
  for (const Number& each : numbers_of(summary)) {
    const auto other = others.find(each.name);
    if (other == others.end() || (each.value.mean == 0.0 && other->second.mean == 0.0)) continue;
    out.push_back({each, other->second});
  }
  return out;
}

}  // namespace shingle::sim
