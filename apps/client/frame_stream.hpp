// FrameStream: frames in, outputs out, in order, computed by a cluster. The owner's side of a
// session: it offers the plans of a rotation, deals frames to them and keeps a bounded number of
// frames under way. What it decides is in runtime/owner/stream_owner.hpp; this class has its
// threads, its waiting and its session. It computes only if it is given an executor. Where it is
// told what the rotation was found for, it plans anew as nodes' speeds change, and goes over to the
// new one between two frames.
//
// With a deadline a frame that is not there in time is given up: next() says so at once, and what
// nodes still compute of it is thrown away as it comes. Until then it counts as under way.
//
//   open() --> submit() submit() ... next() submit() next() ... until pending() is 0
//
// One thread uses it; errors are final.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "apps/client/patience.hpp"
#include "apps/client/plan_search.hpp"
#include "apps/client/session.hpp"
#include "apps/client/tally.hpp"
#include "runtime/owner/stream_owner.hpp"

namespace shingle {

struct FrameStreamOptions {
  ClusterFile cluster;
  NodeId id;  // this process; no tile's home without an executor
  std::unique_ptr<Executor> executor{};
  // Models of other owners, for whom it computes as well; none: its own model only.
  ModelFinder other_models{};
  ExecutorMaker another_executor{};
  std::shared_ptr<const Model> model;
  Rotation rotation;                 // sound, and made for `model`
  std::optional<PlanBasis> basis{};  // of `rotation`; none: it is kept, whatever happens
  int64_t memory_bytes = 0;          // a cap for this process; 0: none
  std::string keys{};                // a KeyFolder's path
  bool insecure = false;             // instead of keys
  std::optional<Announced> announced{};
  std::unique_ptr<NodeWires> wires{};  // that are open already
  double audit_share = 0.0;  // of the tiles: computed once more by another node and compared
  uint32_t open_frames = 4;  // under way at once: enough to keep every home busy between two
  bool steals = true;        // may this process compute tiles whose home is another?
  // Of a frame, from submit() to delivery; it and what belongs to it go before all others. None:
  // as long as it takes. REQUIRES: below no_deadline / 2.
  std::optional<Duration> deadline{};
  Patience patience{};                                // with a peer that is silent
  std::chrono::milliseconds start_patience{30'000};   // until all homes are there with the plan
  std::chrono::milliseconds frame_patience{120'000};  // without any tile done or frame delivered
  // What this program knows of its workers beyond what the nodes tell. A sentence ends a stream
  // that has not begun; later it explains one that cannot go on.
  std::function<std::optional<std::string>()> trouble;
  Log log{};
  std::function<void(const TraceEvent&)> on_trace{};  // none: nothing is traced
};

struct DeliveredFrame {
  std::vector<std::vector<std::byte>> outputs;  // by model output: f32 in (y, x, c) order, whole
  std::chrono::nanoseconds took{};              // from submit() to delivery, or to giving it up
  bool late = false;                            // it missed its deadline: there are no outputs
};

class FrameStream {
 public:
  // Returns when all plans are ready on all their homes. The sentence says who is missing or
  // refuses.
  static Result<std::unique_ptr<FrameStream>> open(FrameStreamOptions options);
  ~FrameStream();

  bool has_room() const { return owner_.has_room(); }
  size_t pending() const { return owner_.pending(); }

  // `image` is the model's input, (y, x, c). Waits while frames that were given up take the room.
  // REQUIRES: has_room().
  Status submit(std::shared_ptr<const std::vector<std::byte>> image);
  // The oldest pending frame's outputs; waits for them, at most for its deadline. REQUIRES:
  // pending() > 0.
  Result<DeliveredFrame> next();

  // The first in the rotation.
  const LoadedPlan& plan() const { return *owner_.turns().plans().front(); }
  uint64_t switches() const { return switches_; }                     // of rotations
  int64_t planned_wire_bytes() const { return planned_wire_bytes_; }  // of all frames submitted
  const Tally& tally() const { return tally_; }
  const std::vector<NodeId>& distrusted() const { return distrusted_; }  // found by audits
  Session& session() { return *session_; }

 private:
  struct Arrival {
    FrameKey key;
    std::vector<std::vector<std::byte>> outputs;
    Time at;
  };
  using Event = std::variant<Arrival, Report>;

  explicit FrameStream(FrameStreamOptions options);
  Status begin();
  Status wait_until_ready();
  void add(Event event);  // the driver's thread
  // A little while, and at most to `until`.
  std::optional<Event> wait(Time until);
  // Deals with one event, if one comes; a pending frame that has arrived is handed on.
  Result<std::optional<DeliveredFrame>> look(Time until);
  bool no_event_waits();
  std::optional<DeliveredFrame> delivered(Arrival arrival);
  Status take(const Report& report);  // an error when the report ends the stream
  void propose(const std::vector<StreamOwner::Loaded>& plans);
  void went_over();  // to other plans
  void look_for_other_plans();
  std::string missing_homes() const;
  std::string why_ended(const std::string& sentence) const;

  FrameStreamOptions options_;
  StreamOwner owner_;
  PlanSearch search_;
  std::vector<NodeId> planned_for_;  // the nodes whose speeds the owner watches
  uint64_t switches_ = 0;
  int64_t planned_wire_bytes_ = 0;
  Tally tally_;
  Time last_sign_{};  // that somebody computes
  std::vector<NodeId> joined_, distrusted_;

  SteadyClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;  // bounded by what pending frames and peers can report

  std::unique_ptr<Session> session_;  // last: its thread uses the rest
};

}  // namespace shingle
