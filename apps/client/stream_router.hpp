// StreamRouter: which of a session's streams a report concerns. Streams share one node, so what the
// node reports and delivers has to find the stream that asked for it.
//
//   plan_ready, plan_refused, plan_impaired    the streams that proposed the plan
//   frame_..., tile_...                        the stream that submitted the frame
//   peer_..., node_..., weights_..., message_  all streams
//
// Two streams of one model may have the same plan: the node gets it once, and keeps it until the
// last of them withdraws it. The class holds values only; whoever shares it between threads locks
// it (stream_session.hpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/protocol/report.hpp"

namespace shingle {

class StreamRouter {
 public:
  using StreamId = uint32_t;

  StreamId add();
  // The plans that no other stream needs: the node is to be told to withdraw them.
  std::vector<PlanHash> remove(StreamId stream);

  // A plan that another stream has proposed is not proposed again: the node would forget the
  // answers that it has, and that stream's frames would wait for them.
  enum class Asked : uint8_t {
    now,        // the node is to propose it
    before,     // its reports concern this stream, too
    and_ready,  // the same, and it is ready
  };
  Asked propose(StreamId stream, const PlanHash& plan);
  // True: no other stream needs it, so the node is to withdraw it.
  bool withdraw(StreamId stream, const PlanHash& plan);

  void submitted(StreamId stream, uint64_t frame);
  // None: its stream was removed, or the frame has ended.
  std::optional<StreamId> stream_of(uint64_t frame) const;
  size_t left_frames() const;  // under way, of streams that were removed

  // Takes note of a report, and says which streams it concerns, ascending.
  std::vector<StreamId> on(const Report& report);
  // Members that are connected now, ascending: a new stream has not heard of them.
  const std::set<NodeId>& joined() const { return joined_; }
  std::vector<NodeId> lost() const;  // were connected, and are not, ascending

 private:
  struct Proposal {
    std::set<StreamId> streams;
    bool ready = false, refused = false;
  };
  std::vector<StreamId> all() const { return {streams_.begin(), streams_.end()}; }
  std::vector<StreamId> of_plan(const Report& report);
  std::vector<StreamId> of_frame(const Report& report);

  std::set<StreamId> streams_;
  StreamId next_ = 0;
  std::map<PlanHash, Proposal> proposals_;
  std::map<uint64_t, StreamId> frames_;  // that are under way
  std::set<NodeId> joined_, lost_;
};

}  // namespace shingle
