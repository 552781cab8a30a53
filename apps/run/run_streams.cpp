#include "apps/run/run_streams.hpp"

#include <algorithm>

#include "apps/cli/common_options.hpp"
#include "apps/cli/program_log.hpp"
#include "apps/client/audit_share.hpp"
#include "apps/client/patience.hpp"
#include "apps/models/model_store.hpp"
#include "apps/run/stream_plans.hpp"

namespace shingle {

ExecutorOptions executor_options_of(const RunOptions& options, const CompiledFiles& compiled,
                                    bool capped) {
  return {.name = options.executor,
          .threads = options.threads,
          .packed_folder = options.packed,
          .capped = capped,
          .compiled = compiled,
          .log = program_log()};
}

namespace {

// If this process is to compute tiles.
void let_compute(const StreamParts& parts, StreamSessionOptions& member) {
  const RunOptions& options = parts.options;
  const Workplace& place = parts.place;
  if (!options.compute) return;
  const auto executor = [from =
                             executor_options_of(options, parts.compiled, place.memory_bytes() > 0),
                         &pace = parts.pace] { return pace.paced(make_executor(from).value()); };
  member.executor = executor();
  if (!options.models.empty() || parts.models.size() > 1) member.another_executor = executor;
  if (options.models.empty()) return;
  member.other_models = [store = std::make_shared<ModelStore>(
                             options.models, FileHashes(hashes_file(options.packed)),
                             constant_bytes_of(options.model.max_constants, place.memory_bytes()))](
                            const ModelName& name) { return store->find(name); };
}

StreamSessionOptions member_options(const StreamParts& parts,
                                    const std::vector<StreamPlan>& plans) {
  const RunOptions& options = parts.options;
  Workplace& place = parts.place;
  StreamSessionOptions member;
  member.cluster = place.cluster;
  member.id = place.owner;
  member.memory_bytes = place.memory_bytes();
  member.keys = place.workers ? place.workers->keys() : options.admission.folder();
  member.insecure = !place.workers && options.admission.insecure;
  if (place.membership) member.announced = Announced{place.membership.get(), {}};
  member.wires = std::move(place.wires);
  member.audit_share = options.audit.empty() ? 0.0 : audit_share(options.audit).value();
  member.patience = place.workers ? Patience{local_patience, local_patience}
                                  : patience_of(options.patience_seconds);
  member.log = program_log();
  member.open_frames = 0;
  member.frames_on_one_plan = 0;
  for (const StreamPlan& plan : plans) {
    member.open_frames += plan.open_frames;
    member.frames_on_one_plan =
        std::max(member.frames_on_one_plan, most_on_one_plan(plan.rotation, plan.open_frames));
  }
  if (parts.trace != nullptr)
    member.on_trace = [file = parts.trace](const TraceEvent& event) { file->add(event); };
  let_compute(parts, member);
  return member;
}

// What sentences call a model's stream where there are several.
std::string label_of(const std::vector<RunModel>& models, size_t stream) {
  if (models.size() == 1) return {};
  const RunModel& model = models[stream];
  return (model.name.empty() ? std::string("the main model") : "model '" + model.name + "'") +
         " (" + model.path.path + ")";
}

}  // namespace

Result<RunStreams> open_run_streams(const StreamParts& parts) {
  const std::vector<RunModel>& models = parts.models;
  auto plans = stream_plans(parts.options, models, parts.place);
  if (!plans) return plans.failure();
  auto session = StreamSession::start(member_options(parts, *plans));
  if (!session) return Error{session.error()};
  if (parts.trace != nullptr)
    parts.trace->watch(
        [&running = (*session)->session()] { return running.transport().sent_again(); });
  RunStreams streams{.session = std::move(*session), .all = {}};
  for (size_t i = 0; i < models.size(); ++i) {
    StreamPlan& plan = (*plans)[i];
    StreamOptions stream{.model = models[i].model(),
                         .rotation = std::move(plan.rotation),
                         .basis = std::move(plan.basis),
                         .open_frames = plan.open_frames,
                         .deadline = deadline_of(parts.options),
                         .label = label_of(models, i),
                         .model_file = models.size() == 1 ? models[i].path.path : "",
                         .log = program_log()};
    if (parts.place.workers)
      stream.trouble = [&place = parts.place] { return place.workers->ended(); };
    auto opened = FrameStream::open(*streams.session, std::move(stream));
    if (!opened) return opened.failure();
    streams.all.push_back(std::move(*opened));
  }
  return streams;
}

}  // namespace shingle
