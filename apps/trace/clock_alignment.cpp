#include "apps/trace/clock_alignment.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>

#include "apps/trace/clock_line.hpp"
#include "apps/trace/matched_messages.hpp"

namespace shingle {

namespace {

Time base_of(const RecordedTrace& trace) {
  Time base = Time::max();
  for (const RecordedEvent& event : trace.events) base = std::min(base, event.at);
  return trace.events.empty() ? Time{} : base;
}

// Lines between the clocks of all pairs that exchanged messages, both counted from their bases.
class PairLines {
 public:
  PairLines(std::span<const RecordedTrace> traces, const std::map<NodeId, Time>& bases) {
    std::map<std::pair<NodeId, NodeId>, std::vector<ClockSample>> there, back;  // by first, second
    for (const MatchedMessage& message : matched_messages(traces)) {
      const auto since_base = [&](NodeId node, Time at) {
        return in_nanoseconds(at - bases.at(node));
      };
      if (!bases.contains(message.from) || !bases.contains(message.to)) continue;
      const double sent = since_base(message.from, message.sent);
      const double received = since_base(message.to, message.received);
      const bool ascending = message.from < message.to;
      auto& way = ascending ? there[{message.from, message.to}] : back[{message.to, message.from}];
      way.push_back({ascending ? sent : received, received - sent});
    }
    for (auto& [pair, samples] : there)
      if (auto line = fit_clocks(std::move(samples), std::move(back[pair]))) lines_[pair] = *line;
  }

  // The second node's clock against the first one's.
  std::optional<ClockLine> between(NodeId first, NodeId second) const {
    const auto place = lines_.find(std::minmax(first, second));
    if (place == lines_.end()) return {};
    ClockLine line = place->second;
    if (first < second) return line;
    // b = a + o + k a, so a = (b - o) / (1 + k).
    line.offset_ns = -line.offset_ns / (1.0 + line.drift);
    line.drift = 1.0 / (1.0 + line.drift) - 1.0;
    return line;
  }

 private:
  std::map<std::pair<NodeId, NodeId>, ClockLine> lines_;
};

struct Edge {
  size_t known = 0, fresh = 0;  // indices of traces
  ClockLine line;
};

// The narrowest corridor from a node whose clock is known to one whose clock is not.
std::optional<Edge> next_edge(std::span<const RecordedTrace> traces, const PairLines& lines,
                              const std::vector<std::optional<NodeClockFit>>& fits) {
  std::optional<Edge> best;
  for (size_t known = 0; known < traces.size(); ++known)
    for (size_t fresh = 0; fresh < traces.size(); ++fresh) {
      if (!fits[known] || fits[fresh]) continue;
      const auto line = lines.between(traces[known].node, traces[fresh].node);
      if (line && (!best || line->margin_ns < best->line.margin_ns)) best = {known, fresh, *line};
    }
  return best;
}

}  // namespace

// The reference's clock is `base` - offset where this one is `base`.
Time NodeClockFit::on_reference(Time local) const {
  const double since = in_nanoseconds(local - base);
  return base + Duration(std::llround(since / (1.0 + drift) - offset_ns));
}

Result<std::vector<NodeClockFit>> align_clocks(std::span<const RecordedTrace> traces) {
  assert(!traces.empty());
  std::map<NodeId, Time> bases;
  for (const RecordedTrace& trace : traces) bases[trace.node] = base_of(trace);
  const PairLines lines(traces, bases);
  std::vector<std::optional<NodeClockFit>> fits(traces.size());
  fits[0] = NodeClockFit{
      .node = traces[0].node, .through = traces[0].node, .base = bases.at(traces[0].node)};
  while (const auto edge = next_edge(traces, lines, fits)) {
    const NodeClockFit& near = *fits[edge->known];
    const NodeId node = traces[edge->fresh].node;
    // Counted from the bases: fresh = (1 + k) known + o, known = (1 + drift) (reference + offset).
    const Time base = bases.at(node);
    const double at_base = -edge->line.offset_ns / (1.0 + edge->line.drift);  // the known clock
    const Time reference = near.on_reference(near.base + Duration(std::llround(at_base)));
    fits[edge->fresh] = NodeClockFit{.node = node,
                                     .through = near.node,
                                     .base = base,
                                     .offset_ns = in_nanoseconds(base - reference),
                                     .drift = (1.0 + edge->line.drift) * (1.0 + near.drift) - 1.0,
                                     .error_ns = near.error_ns + edge->line.error_ns};
  }
  std::vector<NodeClockFit> all;
  for (size_t i = 0; i < fits.size(); ++i) {
    if (!fits[i])
      return bad_input(
          "'" + traces[i].file + "' shares no message with the other traces, so node " +
          std::to_string(traces[i].node.value) + "'s clock cannot be compared with theirs");
    all.push_back(*fits[i]);
  }
  return all;
}

}  // namespace shingle
