// FrameStream: frames in, outputs out, in order, computed by a cluster. The owner's side of a
// session: it offers one plan and keeps a bounded number of frames under way. It computes only if
// it is given an executor.
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

#include "apps/session.hpp"
#include "apps/tally.hpp"

namespace shingle {

struct FrameStreamOptions {
  ClusterFile cluster;
  NodeId id;  // this process; no tile's home without an executor
  std::unique_ptr<Executor> executor{};
  std::shared_ptr<const Model> model;
  Plan plan;                 // sound, and made for `model`
  int64_t memory_bytes = 0;  // a cap for this process; 0: none
  std::string keys{};        // a KeyFolder's path
  bool insecure = false;     // instead of keys
  uint32_t open_frames = 4;  // under way at once: enough to keep every home busy between two
  std::chrono::milliseconds silence_allowed{1500};    // of a peer, then it is lost
  std::chrono::milliseconds start_patience{30'000};   // until all homes are there with the plan
  std::chrono::milliseconds frame_patience{120'000};  // without any tile done or frame delivered
  // What this program knows of its workers beyond what the nodes tell. A sentence ends a stream
  // that has not begun; later it explains one that cannot go on.
  std::function<std::optional<std::string>()> trouble;
};

struct DeliveredFrame {
  std::vector<std::vector<std::byte>> outputs;  // by model output: f32 in (y, x, c) order, whole
  std::chrono::nanoseconds took{};              // from submit() to delivery
};

class FrameStream {
 public:
  // Returns when the plan is ready on all its homes. The sentence says who is missing or refuses.
  static Result<std::unique_ptr<FrameStream>> open(FrameStreamOptions options);
  ~FrameStream();

  bool has_room() const { return pending_.size() < options_.open_frames; }
  size_t pending() const { return pending_.size(); }

  // REQUIRES: has_room(). `image` is the model's input, (y, x, c).
  Status submit(std::shared_ptr<const std::vector<std::byte>> image);
  // The oldest pending frame's outputs; waits for them. REQUIRES: pending() > 0.
  Result<DeliveredFrame> next();

  const LoadedPlan& plan() const { return plan_; }
  const Tally& tally() const { return tally_; }
  Session& session() { return *session_; }

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct Arrival {
    FrameKey key;
    std::vector<std::vector<std::byte>> outputs;
    Instant at;
  };
  using Happening = std::variant<Arrival, Report>;
  struct Pending {
    FrameKey key;
    Instant since;
  };

  explicit FrameStream(FrameStreamOptions options);
  Status begin();
  Status wait_until_ready();
  void happened(Happening happening);  // the driver's thread
  std::optional<Happening> wait();     // a little while
  Status take(const Report& report);   // an error when the report ends the stream
  std::string missing_homes() const;
  std::string why_ended(const std::string& sentence) const;

  FrameStreamOptions options_;
  LoadedPlan plan_;
  Tally tally_;
  std::deque<Pending> pending_;
  std::vector<NodeId> joined_;
  bool ready_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Happening> happenings_;  // bounded by what pending frames and peers can report

  std::unique_ptr<Session> session_;  // last: its thread uses the rest
};

}  // namespace shingle
