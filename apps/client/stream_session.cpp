#include "apps/client/stream_session.hpp"

#include <utility>

namespace shingle {
namespace {

std::vector<std::byte> copy_of(const Output& output) {
  const int64_t bytes = output.view.region.elements() * bytes_of(output.view.type);
  return {output.view.data, output.view.data + bytes};
}

// Without what calls back.
SessionOptions session_options(StreamSessionOptions& options) {
  SessionOptions session;
  session.cluster = options.cluster;
  session.id = options.id;
  session.log = options.log;
  session.on_trace = std::move(options.on_trace);
  session.executor = std::move(options.executor);
  session.another_executor = std::move(options.another_executor);
  session.keys = std::move(options.keys);
  session.insecure = options.insecure;
  session.sets_up_process = options.sets_up_process;
  session.announced = std::move(options.announced);
  session.wires = std::move(options.wires);
  session.memory = {.id = options.id,
                    .memory_bytes = options.memory_bytes,
                    .owner = options.id,
                    .open_frames = options.frames_on_one_plan};
  session.limits.open_frames = options.open_frames;
  session.limits.audit_share = options.audit_share;
  // Those of streams that have left, too: join() bounds them.
  session.limits.waiting_frames = 2 * options.open_frames;
  session.limits.drop = DropPolicy::refuse_newest;
  session.limits.steals = options.steals;
  session.limits.silence_allowed = options.patience.least;
  session.limits.most_silence_allowed = options.patience.most;
  return session;
}

// It concerns a node as a whole, so it is logged once for all streams.
bool is_of_a_node(Report::Kind kind) {
  return kind == Report::Kind::node_distrusted || kind == Report::Kind::weights_damaged ||
         kind == Report::Kind::weights_packed;
}

Report about(Report::Kind kind, NodeId node, const PlanHash& plan) {
  Report report;
  report.kind = kind;
  report.node = node;
  report.plan = plan;
  return report;
}

}  // namespace

StreamSession::StreamSession(ClusterFile cluster, uint32_t open_frames, ModelFinder other_models,
                             Log log)
    : cluster_(std::move(cluster)),
      open_frames_(open_frames),
      other_models_(std::move(other_models)),
      log_(std::move(log)) {}

Result<std::unique_ptr<StreamSession>> StreamSession::start(StreamSessionOptions options) {
  std::unique_ptr<StreamSession> streams(new StreamSession(
      options.cluster, options.open_frames, std::move(options.other_models), options.log));
  SessionOptions session = session_options(options);
  session.find_model = [self = streams.get()](const ModelName& name) {
    return self->find_model(name);
  };
  session.on_deliver = [self = streams.get()](const FrameKey& key,
                                              std::span<const Output> outputs) {
    self->deliver(key, outputs);
  };
  session.on_report = [self = streams.get()](const Report& report) { self->report(report); };
  auto started = Session::start(std::move(session));
  if (!started) return started.failure();
  streams->session_ = std::move(*started);
  return streams;
}

Result<StreamSession::StreamId> StreamSession::join(std::shared_ptr<const Model> model,
                                                    uint32_t open_frames, StreamEvents& events) {
  const std::lock_guard lock(mutex_);
  uint64_t taken = open_frames;
  for (const auto& [id, stream] : streams_) taken += stream.open_frames;
  if (taken > open_frames_)
    return Error{"the session's streams are to have " + std::to_string(taken) +
                 " frames under way, and it was started for " + std::to_string(open_frames_)};
  if (router_.left_frames() > open_frames_)
    return Error{"too many frames of streams that have ended are still under way; try again later"};
  for (const NodeId node : router_.joined()) events.add(about(Report::Kind::peer_joined, node, {}));
  const StreamId stream = router_.add();
  streams_[stream] = {.model = std::move(model), .open_frames = open_frames, .events = &events};
  return stream;
}

void StreamSession::leave(StreamId stream) {
  const std::lock_guard lock(mutex_);
  for (const PlanHash& plan : router_.remove(stream)) session_->driver().withdraw(plan);
  streams_.erase(stream);
}

void StreamSession::propose(StreamId stream, const LoadedPlan& plan) {
  const std::lock_guard lock(mutex_);
  const StreamRouter::Asked asked = router_.propose(stream, plan.hash);
  if (asked == StreamRouter::Asked::now) session_->driver().propose(plan.hash, plan.plan);
  if (asked == StreamRouter::Asked::and_ready)
    streams_.at(stream).events->add(about(Report::Kind::plan_ready, session_->id(), plan.hash));
}

std::vector<NodeId> StreamSession::lost_members() const {
  const std::lock_guard lock(mutex_);
  return router_.lost();
}

void StreamSession::withdraw(StreamId stream, const PlanHash& plan) {
  const std::lock_guard lock(mutex_);
  if (router_.withdraw(stream, plan)) session_->driver().withdraw(plan);
}

// Under the lock: the driver's thread must know whose the frame is before it reports about it.
std::optional<FrameKey> StreamSession::submit(StreamId stream, const PlanHash& plan,
                                              FrameInputs inputs, Duration time_left) {
  const std::lock_guard lock(mutex_);
  const auto key = session_->driver().submit(plan, std::move(inputs), time_left);
  if (key) router_.submitted(stream, key->frame);
  return key;
}

Time StreamSession::last_tile_done() const {
  const std::lock_guard lock(mutex_);
  return last_tile_done_;
}

Result<std::shared_ptr<const Model>> StreamSession::find_model(const ModelName& name) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, stream] : streams_)
      if (stream.model->hash == name.hash) return stream.model;
  }
  if (other_models_) return other_models_(name);
  return Error{"there is no stream of model " + short_name(name.hash) +
               " here, and no other models were given"};
}

void StreamSession::deliver(const FrameKey& key, std::span<const Output> outputs) {
  const Time now = clock_.now();
  const std::lock_guard lock(mutex_);
  const auto id = router_.stream_of(key.frame);
  if (!id) return;
  const Stream& stream = streams_.at(*id);
  StreamEvents::Arrival arrival{.key = key, .outputs = {}, .at = now};
  for (const ModelOutput& wanted : stream.model->outputs)
    for (const Output& output : outputs)
      if (output.tensor == wanted.tensor) arrival.outputs.push_back(copy_of(output));
  stream.events->add(std::move(arrival));
}

void StreamSession::report(const Report& report) {
  if (is_of_a_node(report.kind)) note_to(log_, LogLevel::warning, report.sentence);
  const std::lock_guard lock(mutex_);
  if (report.kind == Report::Kind::tile_done) last_tile_done_ = clock_.now();
  for (const StreamId stream : router_.on(report)) streams_.at(stream).events->add(report);
}

}  // namespace shingle
