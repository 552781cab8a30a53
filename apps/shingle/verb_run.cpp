// shingle run: a model over pictures or a video, on a cluster or on local workers.
#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/client/node_report.hpp"
#include "apps/client/patience.hpp"
#include "apps/client/plan_file.hpp"
#include "apps/models/compiled_model.hpp"
#include "apps/models/model_file.hpp"
#include "apps/models/model_store.hpp"
#include "apps/shingle/choose_plan.hpp"
#include "apps/shingle/run_loop.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/shingle/workplace.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/plain_text.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

std::optional<Duration> deadline_of(const RunOptions& options) {
  if (!options.deadline_seconds) return std::nullopt;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(*options.deadline_seconds));
}

Goal goal_of(const RunOptions& options, const Workplace& place) {
  return {.kind = goal_named(options.goal).value(),
          .owner = place.owner,
          .open_frames = static_cast<int32_t>(options.open_frames),
          .deadline = deadline_of(options).value_or(Duration::zero())};
}

// Both make the rotation, and what it was found for, part of `stream`.
Status find_plan_for(const RunOptions& options, const Model& model, const Workplace& place,
                     const Cluster& cluster, FrameStreamOptions& stream) {
  const Goal goal = goal_of(options, place);
  auto found = find_rotation(model, cluster, goal);
  if (!found) return Error{found.error()};
  stream.rotation = found->rotation;
  // Of local workers neither speeds nor wires are known: measured speeds alone would mislead.
  const bool known = !place.workers && cluster.nodes.size() > 1;
  if (known && !options.keep_plan) stream.basis = {cluster, goal, std::move(*found)};
  return success();
}

Status read_plan_for(const RunOptions& options, const std::string& path, const Model& model,
                     const Cluster& cluster, FrameStreamOptions& stream) {
  if (options.plan.starts_with("ftp:"))
    return Error{"'" + options.plan +
                 "' is DeepThings' scheme and no plan that nodes carry out: 'shingle plan --plan' "
                 "simulates it, 'tools/bench cluster --only ftp' runs it"};
  std::vector<NodeId> members;
  for (const ClusterNode& node : cluster.nodes) members.push_back(node.id);
  auto rotation = read_plan_file(path, model, members);
  if (!rotation) return Error{rotation.error()};
  stream.rotation = std::move(*rotation);
  return success();
}

Status plan_for(const RunOptions& options, const Model& model, const Workplace& place,
                FrameStreamOptions& stream) {
  const Cluster cluster = computing_nodes(options, place);
  if (cluster.nodes.empty()) return Error{"the cluster file has no node besides this one"};
  if (!options.plan.empty()) return read_plan_for(options, options.plan, model, cluster, stream);
  if (CompiledFile::is_one(options.model.path))
    return read_plan_for(options, options.model.path, model, cluster, stream);
  return find_plan_for(options, model, place, cluster, stream);
}

int64_t wire_bytes_per_frame(const FrameStream& stream, uint64_t frames) {
  if (frames == 0) return wire_bytes(stream.plan().routes);
  return (stream.planned_wire_bytes() + stream.tally().lent_bytes()) / static_cast<int64_t>(frames);
}

// What a run is made of before anything is computed.
struct Ready {
  std::shared_ptr<ModelFile> file;
  Reading reading;
  std::unique_ptr<MediaInput> input;
  std::optional<MediaOutput> output;
  CompiledFiles compiled;

  std::shared_ptr<const Model> model() const { return {file, &file->model}; }
};

ExecutorOptions wish_of(const RunOptions& options, const Ready& ready, bool capped) {
  return {.name = options.executor,
          .threads = options.threads,
          .packed_folder = options.packed,
          .capped = capped,
          .compiled = ready.compiled};
}

std::optional<Failure> open_model_for(const RunOptions& options, Ready& ready) {
  FileHashes hashes(hashes_file(options.packed));
  auto opened =
      open_model(options.model.where(), hashes, sized_by_plan(options.model, options.plan));
  if (!opened) return Failure{Exit::bad_input, opened.error()};
  ready.file = std::make_shared<ModelFile>(std::move(*opened));
  auto compiled = compiled_among({options.model.path});
  if (!compiled) return Failure{Exit::bad_input, compiled.error()};
  ready.compiled = std::move(*compiled);
  if (auto failure = choose_reading(*ready.file, options.reading, ready.reading)) return failure;
  if (const Status taken = take_picture(ready.file->model, ready.reading.preparation); !taken)
    return Failure{Exit::bad_input, "cannot take '" + options.model.path + "': " + taken.error()};
  return std::nullopt;
}

std::optional<Failure> open_media(const RunOptions& options, Ready& ready) {
  auto input = MediaInput::open(options.input);
  if (!input) return Failure{Exit::bad_input, input.error()};
  ready.input = std::make_unique<MediaInput>(std::move(*input));
  if (!options.raw_out.empty())
    if (const Status made = make_folder(options.raw_out); !made)
      return Failure{Exit::runtime, made.error()};
  if (options.out.empty()) return std::nullopt;
  auto output = MediaOutput::open(options.out, *ready.input);
  if (!output) return Failure{Exit::usage, output.error()};
  ready.output = std::move(*output);
  return std::nullopt;
}

// "2%" or "0.02"; none if it is neither.
std::optional<double> audit_share(const std::string& text) {
  double share = 0.0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, share);
  const bool percent = read.ptr + 1 == end && *read.ptr == '%';
  if (read.ec != std::errc() || (read.ptr != end && !percent)) return std::nullopt;
  if (percent) share /= 100.0;
  return share >= 0.0 && share <= 1.0 ? std::optional(share) : std::nullopt;
}

std::variant<std::unique_ptr<FrameStream>, Failure> stream_of(const RunOptions& options,
                                                              const Ready& ready, Workplace& place,
                                                              NodePace& pace) {
  FrameStreamOptions stream{
      .cluster = place.cluster,
      .id = place.owner,
      .executor = {},
      .model = ready.model(),
      .rotation = {},
      .memory_bytes = place.memory_bytes(),
      .keys = place.workers ? place.workers->keys() : options.admission.folder(),
      .insecure = !place.workers && options.admission.insecure,
      .audit_share = options.audit.empty() ? 0.0 : audit_share(options.audit).value(),
      .open_frames = options.open_frames,
      .deadline = deadline_of(options),
      .patience = patience_of(options.patience_seconds),
      .trouble = {}};
  if (const Status planned = plan_for(options, ready.file->model, place, stream); !planned)
    return Failure{options.plan.empty() ? Exit::runtime : Exit::bad_input, planned.error()};
  if (place.membership) stream.announced = Announced{place.membership.get(), {}};
  stream.wires = std::move(place.wires);
  if (options.compute) {
    const auto executor = [wish = wish_of(options, ready, place.memory_bytes() > 0), &pace] {
      return pace.paced(make_executor(wish).value());
    };
    stream.executor = executor();
    if (!options.models.empty()) {
      stream.another_executor = executor;
      stream.other_models =
          [store = std::make_shared<ModelStore>(
               options.models, FileHashes(hashes_file(options.packed)),
               constant_bytes_of(options.model.max_constants, place.memory_bytes()))](
              const ModelName& name) { return store->find(name); };
    }
  }
  if (place.workers) {
    stream.patience = {local_patience, local_patience};
    stream.trouble = [&place] { return place.workers->ended(); };
  }
  auto opened = FrameStream::open(std::move(stream));
  if (!opened) return Failure{Exit::runtime, opened.error()};
  return std::move(*opened);
}

// "b.png, c.png and 7 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t most = 10;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text.append(i == 0 ? "" : ", ").append(plain_text(names[i], 60));
  return names.size() <= most ? text
                              : text + " and " + std::to_string(names.size() - most) + " more";
}

int conclude(const RunOptions& options, const Summary& summary, const FrameStream& stream,
             const std::optional<Failure>& failure) {
  const int printed = print(options.json ? summary_json(summary, stream.tally())
                                         : summary_text(summary, stream.tally()));
  if (failure) return fail(*failure);
  if (!summary.all_identical())
    return fail(Exit::runtime, std::to_string(summary.compared - summary.identical) +
                                   " frames differ from what one machine computes");
  if (summary.late > 0 && summary.in_time() == 0)
    return fail(Exit::runtime,
                "no frame met its deadline; give it more time, or fewer frames at once (--open)");
  if (!summary.left_out.empty())
    return fail(Exit::runtime,
                std::to_string(summary.left_out.size()) + " of " +
                    std::to_string(summary.left_out.size() + summary.frames) +
                    " images could not be read and were left out: " + listed(summary.left_out));
  return printed;
}

int run_frames(const RunOptions& options, Ready& ready, FrameStream& stream, NodePace& pace,
               StopSignals& signals, Membership* membership) {
  std::optional<BareMachine> verifier;
  if (options.verify) {
    auto executor = make_executor(wish_of(options, ready, false));
    auto machine = BareMachine::make(ready.file->model, std::move(*executor),
                                     whole_program(ready.file->model, stream.plan().plan));
    if (!machine) return fail(Exit::runtime, machine.error());
    verifier = std::move(*machine);
  }
  const float min_score = options.min_score.value_or(ready.reading.head->usual_min_score);
  Progress progress(options.frames ? options.frames : ready.input->expected(),
                    stderr_is_terminal());
  RunLoop loop({.model = ready.file->model,
                .reading = ready.reading,
                .thresholds = {.min_score = min_score, .max_overlap = options.max_overlap},
                .input = *ready.input,
                .stream = stream,
                .signals = signals,
                .output = ready.output ? &*ready.output : nullptr,
                .verifier = verifier ? &*verifier : nullptr,
                .raw_folder = options.raw_out,
                .json = options.json,
                .max_frames = options.frames,
                .membership = membership},
               progress);
  const auto failure = loop.run();
  pace.end();
  stream.session().stop();
  Summary summary = loop.summary();
  summary.verified = options.verify;
  summary.deadline_seconds = options.deadline_seconds;
  if (summary.frames > 0) summary.out = options.out;
  summary.switches = stream.switches();
  const NodeCounters& counters = stream.session().driver().counters();
  if (!options.audit.empty())
    summary.audits = {counters.tiles_audited, counters.tiles_disputed, stream.distrusted()};
  summary.wire_bytes_per_frame = wire_bytes_per_frame(stream, summary.frames);
  if (options.compute && options.json) {
    const int printed = print(node_report(stream.session(), pace).dump() + "\n");
    if (printed != 0) return printed;
  }
  return conclude(options, summary, stream, failure);
}

}  // namespace

void describe(CLI::App& verb, RunOptions& options) {
  describe(verb, options.model);
  verb.add_option("INPUT", options.input,
                  "an image, a folder of images, a video, camera:0 or a stream's URL")
      ->type_name("")
      ->required();
  auto* cluster = verb.add_option("--cluster", options.cluster,
                                  "compute on these nodes (TOML) instead of local workers")
                      ->type_name("FILE");
  auto* id =
      verb.add_option("--id", options.id, "which node of the cluster file this is")->type_name("N");
  verb.add_flag("--compute", options.compute, "this node computes too, as the cluster file says")
      ->needs("--id");
  verb.add_option("--models", options.models,
                  "models of other owners (files, folders), whose tiles are computed here too")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs("--compute");
  verb.add_option("--workers", options.workers, "local worker processes (4)")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->excludes(cluster)
      ->excludes(id);
  verb.add_option("--slow-worker", options.slow_workers,
                  "slow a local worker, as 0:4; may be given again")
      ->type_name("WORKER:FACTOR")
      ->allow_extra_args(false)
      ->excludes(cluster);
  verb.add_option("--threads", options.threads, "threads of each local worker (1)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  verb.add_option("--packed", options.packed, packed_help)->type_name("FOLDER");
  verb.add_option("--memory", options.memory, memory_help)->type_name("CAP");
  verb.add_option("--executor", options.executor, "native, xnnpack or reference (native)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"native", "xnnpack", "reference"}));
  auto* plan = verb.add_option("--plan", options.plan,
                               "compute by this plan, from 'shingle plan --out', whatever happens")
                   ->type_name("FILE");
  verb.add_option("--goal", options.goal, "latency, throughput, energy or memory (latency)")
      ->type_name("GOAL")
      ->check(CLI::IsMember({"latency", "throughput", "energy", "memory"}))
      ->excludes(plan);
  verb.add_flag("--keep-plan", options.keep_plan,
                "plan once, even if nodes turn out or become slower or faster")
      ->needs("--id");
  verb.add_option("--slow-file", options.slow_file, slow_file_help)->type_name("FILE");
  verb.add_option("--out", options.out,
                  "annotated media: a video (.mp4, .avi, .mkv, .mov), an image, or a folder")
      ->type_name("PATH");
  verb.add_option("--raw-out", options.raw_out, "folder for the raw outputs: f32, the file's order")
      ->type_name("FOLDER");
  verb.add_flag("--json", options.json, "one JSON line per frame and one summary on stdout");
  describe(verb, options.reading);
  verb.add_option("--score", options.min_score, "least score of what is told (the head's)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_option("--nms", options.max_overlap, "most overlap of two detections of a class (0.45)")
      ->type_name("O")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_option("--frames", options.frames, "stop after so many frames")
      ->type_name("N")
      ->check(CLI::PositiveNumber);  // CLI11 takes "-3" for a large unsigned number
  verb.add_option("--open", options.open_frames, "frames under way at once (4); 1: one by one")
      ->type_name("N")
      ->check(CLI::Range(1, 16));
  verb.add_option(
          "--deadline", options.deadline_seconds,
          "seconds that a frame may take (as long as it takes); its tiles go before those of "
          "owners without a deadline, and its result counts only if it is there in time")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-6, 1200.0));
  verb.add_option("--audit", options.audit,
                  "share of the tiles that another node computes once more, as 2% (none); a node "
                  "that computes wrongly is found and gets no more")
      ->type_name("SHARE")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return audit_share(text) ? "" : "'" + text + "' is no share; write it as 2% or 0.02";
          },
          ""));
  verb.add_option("--patience", options.patience_seconds, patience_help)
      ->type_name("SECONDS")
      ->check(CLI::Range(0.2, 3600.0));
  verb.add_flag("--verify", options.verify,
                "compute each frame here as well, alone, and compare every byte");
  describe(verb, options.admission);
  describe(verb, options.broker);
  verb.footer(
      "\nExamples:\n"
      "  shingle run yolox_nano.onnx street.mp4 --out boxes.mp4\n"
      "  shingle run yolox_nano.onnx photos/ --out annotated/ --json > boxes.jsonl\n"
      "  shingle run yolox_nano.onnx street.mp4 --frames 50 --verify --slow-worker 0:4\n"
      "  shingle run yolox_nano.onnx camera:0 --cluster boards.toml --id 9 --json\n"
      "  shingle run yolox_nano.onnx street.mp4 --broker mqtt://10.0.0.1:1883 --id 9");
}

int run_verb(const RunOptions& options) {
  StopSignals signals;
  Ready ready;
  if (const auto failure = open_model_for(options, ready)) return fail(*failure);
  if (const auto failure = open_media(options, ready)) return fail(*failure);
  auto place = workplace_of(options, signals);
  if (const auto* failure = std::get_if<Failure>(&place)) return fail(*failure);
  Workplace& workplace = std::get<Workplace>(place);
  NodePace pace(pace_of(workplace.cluster, workplace.owner), slowdown_of_file(options.slow_file));
  auto stream = stream_of(options, ready, workplace, pace);
  if (const auto* failure = std::get_if<Failure>(&stream)) return fail(*failure);
  const int code =
      run_frames(options, ready, *std::get<0>(stream), pace, signals, workplace.membership.get());
  if (code == 0 && workplace.workers)
    if (const auto ended = workplace.workers->ended()) note(*ended + "; the others did its work");
  return code;
}

}  // namespace shingle
