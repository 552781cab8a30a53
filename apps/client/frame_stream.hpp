// FrameStream: frames of one model in, outputs out, in order, computed by a cluster. It proposes
// the plans of a rotation, deals frames to them and keeps a bounded number of frames under way.
// What it decides is in runtime/owner/stream_owner.hpp; this class has the waiting. Where it
// gets what the rotation was found for, it plans anew as nodes' speeds change, and goes over to the
// new one between two frames.
//
// Several streams, each of its own model and rate, share one session (stream_session.hpp).
//
// With a deadline a frame that is not there in time is given up: next() says so at once, and what
// nodes still compute of it is thrown away as it comes. Until then it counts as under way.
//
//   open() --> submit() submit() ... next() submit() next() ... until pending() is 0
//
// One thread uses it; errors are final.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apps/client/plan_search.hpp"
#include "apps/client/stream_events.hpp"
#include "apps/client/stream_session.hpp"
#include "apps/client/tally.hpp"
#include "runtime/owner/stream_owner.hpp"

namespace shingle {

struct StreamOptions {
  std::shared_ptr<const Model> model;
  Rotation rotation;                 // sound, and made for `model`
  std::optional<PlanBasis> basis{};  // of `rotation`; none: it is kept, whatever happens
  uint32_t open_frames = 4;  // under way at once: enough to keep every home busy between two
  // Of a frame that has none of its own, from submit() to delivery; it and what belongs to it go
  // before all others. None: as long as it takes. REQUIRES: below no_deadline / 2.
  std::optional<Duration> deadline{};
  std::chrono::milliseconds start_patience{30'000};  // until all homes are there with the plan
  // Without a tile done of any stream of the session, or a frame of this one delivered.
  std::chrono::milliseconds frame_patience{120'000};
  // What this program knows of its workers beyond what the nodes report. A sentence ends a stream
  // that has not begun; later it explains one that cannot go on.
  std::function<std::optional<std::string>()> trouble{};
  // Stands before errors and notes of this stream, where there are several: "model 'plates'
  // (plates.onnx)". Empty: nothing does.
  std::string label{};
  std::string model_file{};  // named where a node does not have the model; empty: it is not
  Log log{};
};

// A stream with a session of its own. The session's open_frames and frames_on_one_plan follow from
// the stream.
struct FrameStreamOptions {
  StreamSessionOptions member;
  StreamOptions stream;
};

// Of so many frames under way, at most as many are on one plan.
int32_t most_on_one_plan(const Rotation& rotation, uint32_t open_frames);

struct DeliveredFrame {
  std::vector<std::vector<std::byte>> outputs;  // by model output: f32 in (y, x, c) order, whole
  std::chrono::nanoseconds took{};              // from submit() to delivery, or to giving it up
  bool late = false;                            // it missed its deadline: there are no outputs
};

class FrameStream {
 public:
  // Returns when all plans are ready on all their homes. The sentence says who is missing or
  // refuses. `session` must outlive the stream.
  static Result<std::unique_ptr<FrameStream>> open(StreamSession& session, StreamOptions options);
  static Result<std::unique_ptr<FrameStream>> open(FrameStreamOptions options);
  ~FrameStream();

  bool has_room() const { return owner_.has_room(); }
  // False while frames that were given up take the room.
  bool may_submit() const { return owner_.may_submit(); }
  size_t pending() const { return owner_.pending(); }

  // Waits until may_submit(). `deadline`: its own, as in the options. REQUIRES: has_room().
  Status submit(FrameInputs inputs, std::optional<Duration> deadline = std::nullopt);
  // Waits until may_submit(), at most so long. REQUIRES: has_room().
  Status wait_for_room(Duration longest);
  // The oldest pending frame's outputs; waits for them, at most for its deadline. REQUIRES:
  // pending() > 0.
  Result<DeliveredFrame> next();
  // The same, if they are there within this time or the deadline passes. REQUIRES: pending() > 0.
  Result<std::optional<DeliveredFrame>> poll(Duration longest = {});
  // Takes the reports that wait, up to a pending frame's outputs. A stream that is idle for long
  // while others run has to be asked to now and then: reports of peers come all the time.
  Status hear();

  // The first in the rotation.
  const LoadedPlan& plan() const { return *owner_.turns().plans().front(); }
  Rotation rotation() const { return owner_.turns().rotation(); }
  uint64_t switches() const { return switches_; }                     // of rotations
  int64_t planned_wire_bytes() const { return planned_wire_bytes_; }  // of all frames submitted
  const Tally& tally() const { return tally_; }
  const std::vector<NodeId>& distrusted() const { return distrusted_; }  // found by audits
  Session& session() { return session_.session(); }

 private:
  FrameStream(std::unique_ptr<StreamSession> own, StreamSession& session, StreamOptions options);
  static Result<std::unique_ptr<FrameStream>> ready(std::unique_ptr<FrameStream> stream);
  Status begin();
  Status wait_until_ready();
  // Deals with one event, if one comes in a little while, and at most until then; a pending frame
  // that has arrived is handed on.
  Result<std::optional<DeliveredFrame>> look(Time until);
  std::optional<DeliveredFrame> give_up();  // the oldest frame, if no event waits that may bring it
  std::optional<DeliveredFrame> delivered(StreamEvents::Arrival arrival);
  Status take(const Report& report);  // an error when the report ends the stream
  Time last_sign() const;             // that somebody computes
  void propose(const std::vector<StreamOwner::Loaded>& plans);
  void went_over();  // to other plans
  void look_for_other_plans();
  std::string labelled(const std::string& sentence) const;
  Error why_ended(const Error& error) const;

  const std::unique_ptr<StreamSession> own_;  // null: the session is shared
  StreamSession& session_;
  const StreamOptions options_;
  StreamOwner owner_;
  PlanSearch search_;
  uint64_t switches_ = 0;
  int64_t planned_wire_bytes_ = 0;
  Tally tally_;
  Time last_event_{};  // of this stream
  std::vector<NodeId> joined_, distrusted_;

  SteadyClock clock_;
  StreamEvents events_;
  std::optional<StreamSession::StreamId> id_;  // once it has joined the session
};

}  // namespace shingle
