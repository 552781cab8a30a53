#include "apps/library/session_place.hpp"

#include <csignal>

#include "apps/client/plan_file.hpp"
#include "apps/library/node_program.hpp"
#include "devices/weights/compiled_file.hpp"
#include "partition/search/rotation_search.hpp"

namespace shingle {
namespace {

// Puts back what the program does at SIGPIPE: the library for MQTT ignores it for the whole
// process. Its threads block the signal (transport/mqtt), so they need no more.
class BrokenPipesKept {
 public:
  BrokenPipesKept() { ::sigaction(SIGPIPE, nullptr, &before_); }
  ~BrokenPipesKept() { ::sigaction(SIGPIPE, &before_, nullptr); }
  BrokenPipesKept(const BrokenPipesKept&) = delete;
  BrokenPipesKept& operator=(const BrokenPipesKept&) = delete;

 private:
  struct sigaction before_ {};
};

bool needs_workers(const PlaceSettings& place) {
  return place.cluster.empty() && place.broker.uri.empty();
}

Result<LocalWorkersOptions> workers_of(const SessionSettings& settings, const OpenedModel& model) {
  auto program = node_program(settings.place.node_program);
  if (!program) return program.failure();
  return LocalWorkersOptions{.program = std::move(*program),
                             .count = settings.place.workers,
                             .threads = settings.place.threads,
                             .models = {model.path},
                             .slow = {},
                             .packed = settings.place.packed,
                             .memory = settings.place.memory};
}

Result<Workplace> workplace_of(const SessionSettings& settings, const OpenedModel& model,
                               RequestDesk& desk) {
  const PlaceSettings& place = settings.place;
  WorkplaceOptions options{
      .cluster = place.cluster,
      .broker = place.broker,
      .id = place.id,
      .admission = place.admission,
      .patience = patience_of(place.patience_seconds),
      .memory_bytes = place.memory_bytes,
      .sets_up_process = false,
      .is_unwanted = [&](std::chrono::milliseconds wait) { return desk.wait_for_work(wait); },
      .note = [log = settings.log](
                  const std::string& sentence) { note_to(log, LogLevel::info, sentence); },
      .log = settings.log};
  if (needs_workers(place)) {
    auto workers = workers_of(settings, model);
    if (!workers) return workers.failure();
    options.workers = std::move(*workers);
    if (place.id) return usage_error("the option 'id' is for a cluster: set 'cluster' or 'broker'");
  } else if (!place.id) {
    return usage_error("set the option 'id': which node of the cluster this process is");
  }
  const BrokenPipesKept kept;
  return open_workplace(options);
}

// Of a file that has the model's plan; empty: it is searched for.
std::string plan_path(const SessionSettings& settings, const OpenedModel& model) {
  if (!settings.stream.plan.empty()) return settings.stream.plan;
  return CompiledFile::is_one(model.path.path) ? model.path.path : std::string();
}

// Fills in the rotation, and what it was found for.
Status choose_plan(const SessionSettings& settings, const OpenedModel& model,
                   const Workplace& place, StreamOptions& stream) {
  const Cluster cluster = computing_nodes(place, false);
  if (cluster.nodes.empty()) return Error{"the cluster file has no node besides this one"};
  if (const std::string path = plan_path(settings, model); !path.empty()) {
    std::vector<NodeId> members;
    for (const ClusterNode& node : cluster.nodes) members.push_back(node.id);
    auto rotation = read_plan_file(path, *stream.model, members);
    if (!rotation) return bad_input(rotation.error());
    stream.rotation = std::move(*rotation);
    return success();
  }
  const Goal goal{.kind = settings.stream.goal,
                  .owner = place.owner,
                  .open_frames = static_cast<int32_t>(settings.stream.open_frames),
                  .deadline = settings.stream.deadline.value_or(Duration::zero())};
  auto found = find_rotation(*stream.model, cluster, goal);
  if (!found) return found.failure();
  stream.rotation = found->rotation;
  // Of local workers neither speeds nor wires are known: measured speeds alone would mislead.
  const bool known = !place.workers && cluster.nodes.size() > 1;
  if (known && !settings.stream.keep_plan) stream.basis = {cluster, goal, std::move(*found)};
  return success();
}

StreamSessionOptions member_of(const SessionSettings& settings, Workplace& place,
                               const Rotation& rotation) {
  StreamSessionOptions member;
  member.cluster = place.cluster;
  member.id = place.owner;
  member.memory_bytes = place.memory_bytes();
  member.keys = place.workers ? place.workers->keys() : settings.place.admission.folder();
  member.insecure = !place.workers && settings.place.admission.insecure;
  member.sets_up_process = false;
  if (place.membership) member.announced = Announced{place.membership.get(), {}};
  member.wires = std::move(place.wires);
  member.audit_share = settings.stream.audit_share;
  member.patience = place.workers ? Patience{local_patience, local_patience}
                                  : patience_of(settings.place.patience_seconds);
  member.log = settings.log;
  member.open_frames = settings.stream.open_frames;
  member.frames_on_one_plan = most_on_one_plan(rotation, settings.stream.open_frames);
  return member;
}

}  // namespace

Result<std::unique_ptr<SessionPlace>> open_session_place(const SessionSettings& settings,
                                                         const OpenedModel& model,
                                                         RequestDesk& desk) {
  auto workplace = workplace_of(settings, model, desk);
  if (!workplace) return workplace.failure();
  auto place = std::make_unique<SessionPlace>(SessionPlace{.workplace = std::move(*workplace)});
  StreamOptions stream{.model = model.model(),
                       .rotation = {},
                       .open_frames = settings.stream.open_frames,
                       .deadline = settings.stream.deadline,
                       .start_patience = settings.stream.start_patience,
                       .model_file = model.folder ? "" : model.path.path,  // bytes: no file to copy
                       .log = settings.log};
  if (place->workplace.workers)
    stream.trouble = [&workers = *place->workplace.workers] { return workers.ended(); };
  if (const Status chosen = choose_plan(settings, model, place->workplace, stream); !chosen)
    return chosen.failure();
  auto session = StreamSession::start(member_of(settings, place->workplace, stream.rotation));
  if (!session) return session.failure();
  place->session = std::move(*session);
  auto opened = FrameStream::open(*place->session, std::move(stream));
  if (!opened) return opened.failure();
  place->stream = std::move(*opened);
  return place;
}

}  // namespace shingle
