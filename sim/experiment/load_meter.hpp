// LoadMeter: counts what nodes and links do in one run, from its trace, between two moments.
#pragma once

#include <map>
#include <set>

#include "runtime/protocol/trace.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

class LoadMeter {
 public:
  // `spans`: how many to keep for drawing, at most, from `begin` on.
  LoadMeter(Time begin, Time end, size_t spans) : begin_(begin), end_(end), most_spans_(spans) {}

  void on(const TraceEvent& event);

  struct Node {
    Duration busy{};
    uint64_t tiles = 0, stolen_tiles = 0;
    int64_t sent_bytes = 0, received_bytes = 0;
  };
  struct Link {
    int64_t bytes = 0;
    uint64_t messages = 0;
    Duration busy{};
  };
  using Pair = std::pair<NodeId, NodeId>;  // from, to
  Node node(NodeId id) const {
    const auto found = nodes_.find(id);
    return found == nodes_.end() ? Node{} : found->second;
  }
  const std::map<Pair, Link>& links() const { return links_; }
  std::vector<WorkSpan> take_spans() { return std::move(spans_); }
  // Payload of the whole run that was sent and not received.
  int64_t missing_bytes() const { return missing_bytes_; }
  // Tiles that their owner counted twice in one attempt at a frame.
  const std::vector<std::string>& breaches() const { return breaches_; }
  Time last_progress() const { return last_progress_; }  // a tile or a payload

 private:
  struct UnderWay {  // payload, of one link
    uint64_t messages = 0;
    Time since{};
  };
  Duration within(Time begin, Time end) const;
  void on_tile(const TraceEvent& event);
  void on_sent(const TraceEvent& event);
  void on_received(const TraceEvent& event);
  void keep(WorkSpan span);

  const Time begin_, end_;
  const size_t most_spans_;
  std::map<NodeId, Node> nodes_;
  std::map<Pair, Link> links_;
  std::map<Pair, UnderWay> under_way_;
  std::map<std::tuple<NodeId, NodeId, FrameKey, uint32_t, uint32_t, Piece::Role>, Time> sent_;
  std::map<FrameKey, std::set<TileId>> done_;
  std::vector<WorkSpan> spans_;
  std::vector<std::string> breaches_;
  int64_t missing_bytes_ = 0;
  Time last_progress_{};
};

}  // namespace shingle::sim
