#include "sim/experiment/load_meter.hpp"

#include <algorithm>

namespace shingle::sim {

namespace {

auto name_of_piece(const TraceEvent& event, NodeId from, NodeId to) {
  return std::tuple(from, to, event.key, event.tile.value, event.index, event.role);
}

}  // namespace

Duration LoadMeter::within(Time begin, Time end) const {
  return std::max(Duration{}, std::min(end, end_) - std::max(begin, begin_));
}

void LoadMeter::keep(WorkSpan span) {
  if (spans_.size() < most_spans_ && span.begin >= begin_) spans_.push_back(span);
}

void LoadMeter::on(const TraceEvent& event) {
  using Kind = TraceEvent::Kind;
  if (event.kind == Kind::computed) on_tile(event);
  if (event.kind == Kind::sent && event.bytes > 0) on_sent(event);
  if (event.kind == Kind::received && event.bytes > 0) on_received(event);
  if (event.kind != Kind::reported) return;
  if (event.report == Report::Kind::frame_reissued) done_[event.key].clear();
  if (event.report == Report::Kind::tile_done && !done_[event.key].insert(event.tile).second)
    breaches_.push_back("tile " + std::to_string(event.tile.value) + " of frame " +
                        frame_name(event.key) + " was counted twice");
  if (event.report == Report::Kind::frame_closed || facts_of(event.report).ends_frame)
    done_.erase(event.key);
}

void LoadMeter::on_tile(const TraceEvent& event) {
  last_progress_ = event.at;
  const bool lent = event.place == Place::lent;
  Node& node = nodes_[event.node];
  node.busy += within(event.at - event.length, event.at);
  if (event.at >= begin_ && event.at < end_) ++node.tiles, node.stolen_tiles += lent ? 1 : 0;
  keep({.kind = WorkSpan::Kind::compute,
        .lent = lent,
        .node = event.node,
        .peer = event.node,
        .frame = event.key.frame,
        .owner = event.key.owner,
        .begin = event.at - event.length,
        .end = event.at});
}

void LoadMeter::on_sent(const TraceEvent& event) {
  missing_bytes_ += event.bytes;
  sent_[name_of_piece(event, event.node, event.peer)] = event.at;
  UnderWay& link = under_way_[{event.node, event.peer}];
  if (link.messages++ == 0) link.since = event.at;
}

void LoadMeter::on_received(const TraceEvent& event) {
  last_progress_ = event.at;
  missing_bytes_ -= event.bytes;
  const Pair pair{event.peer, event.node};
  UnderWay& under_way = under_way_[pair];
  if (under_way.messages > 0 && --under_way.messages == 0)
    links_[pair].busy += within(under_way.since, event.at);
  const auto sent = sent_.find(name_of_piece(event, event.peer, event.node));
  if (sent != sent_.end()) {
    keep({.kind = WorkSpan::Kind::message,
          .node = event.peer,
          .peer = event.node,
          .frame = event.key.frame,
          .owner = event.key.owner,
          .begin = sent->second,
          .end = event.at});
    sent_.erase(sent);
  }
  if (event.at < begin_ || event.at >= end_) return;
  Link& link = links_[pair];
  link.bytes += event.bytes, ++link.messages;
  nodes_[event.peer].sent_bytes += event.bytes;
  nodes_[event.node].received_bytes += event.bytes;
}

}  // namespace shingle::sim
