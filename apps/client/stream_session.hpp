// StreamSession: a member of a cluster that owns frames of several streams. It joins the cluster
// once; each stream is a model at a rate of its own, with plans of its own (frame_stream.hpp).
//
//   FrameStream 1 --.                                  .--> events of stream 1
//   FrameStream 2 --+--> Session, node --> StreamRouter +--> events of stream 2
//
// Functions may be called on any thread. It must outlive its streams.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "apps/client/patience.hpp"
#include "apps/client/session.hpp"
#include "apps/client/stream_events.hpp"
#include "apps/client/stream_router.hpp"

namespace shingle {

struct StreamSessionOptions {
  ClusterFile cluster;
  NodeId id;  // this process; no tile's home without an executor
  std::unique_ptr<Executor> executor{};
  // For further models, of streams or of other owners; none: it computes one model only.
  ExecutorMaker another_executor{};
  ModelFinder other_models{};      // models of other owners, for whom it computes as well
  int64_t memory_bytes = 0;        // a cap for this process; 0: none
  int32_t frames_on_one_plan = 4;  // at once, of any stream, at most: the cap holds for so many
  std::string keys{};              // a KeyFolder's path
  bool insecure = false;           // instead of keys
  bool sets_up_process = true;     // see SessionOptions
  std::optional<Announced> announced{};
  std::unique_ptr<NodeWires> wires{};  // that are open already
  double audit_share = 0.0;  // of the tiles: computed once more by another node and compared
  uint32_t open_frames = 4;  // under way at once, of all streams together
  bool steals = true;        // may this process compute tiles whose home is another?
  Patience patience{};       // with a peer that is silent
  Log log{};
  std::function<void(const TraceEvent&)> on_trace{};  // none: nothing is traced
};

class StreamSession {
 public:
  using StreamId = StreamRouter::StreamId;

  static Result<std::unique_ptr<StreamSession>> start(StreamSessionOptions options);

  const ClusterFile& cluster() const { return cluster_; }
  // Members that were connected once and are not now, ascending.
  std::vector<NodeId> lost_members() const;
  Session& session() { return *session_; }

  // --- for FrameStream ---
  // From now on the stream's outputs and reports are added to `events`, until leave(). It may have
  // `open_frames` under way; an error if that is more than the session's other streams leave.
  Result<StreamId> join(std::shared_ptr<const Model> model, uint32_t open_frames,
                        StreamEvents& events);
  void leave(StreamId stream);  // its plans are withdrawn
  void propose(StreamId stream, const LoadedPlan& plan);
  void withdraw(StreamId stream, const PlanHash& plan);
  // See Driver::submit().
  std::optional<FrameKey> submit(StreamId stream, const PlanHash& plan, FrameInputs inputs,
                                 Duration time_left);
  // When a tile of any stream was done last; Time() before the first.
  Time last_tile_done() const;

 private:
  struct Stream {
    std::shared_ptr<const Model> model;
    uint32_t open_frames = 0;
    StreamEvents* events = nullptr;
  };

  StreamSession(ClusterFile cluster, uint32_t open_frames, ModelFinder other_models, Log log);
  Result<std::shared_ptr<const Model>> find_model(const ModelName& name);
  // The driver's thread.
  void deliver(const FrameKey& key, std::span<const Output> outputs);
  void report(const Report& report);

  const ClusterFile cluster_;
  const uint32_t open_frames_;  // of all streams together
  const ModelFinder other_models_;
  const Log log_;
  const SteadyClock clock_{};
  // Of all below; the driver's thread holds it while it adds an event.
  mutable std::mutex mutex_;
  StreamRouter router_;
  std::map<StreamId, Stream> streams_;
  Time last_tile_done_{};
  std::unique_ptr<Session> session_;  // last: its thread uses the rest
};

}  // namespace shingle
