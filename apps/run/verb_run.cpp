// shingle run: a model over pictures or a video, on a cluster or on local workers.
#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/command_line.hpp"
#include "apps/cli/program_log.hpp"
#include "apps/client/node_report.hpp"
#include "apps/run/media_sink.hpp"
#include "apps/run/run_loop.hpp"
#include "apps/run/run_program.hpp"
#include "apps/run/run_streams.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/plain_text.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

int64_t wire_bytes_per_frame(const FrameStream& stream, uint64_t frames) {
  if (frames == 0) return wire_bytes(stream.plan().routes);
  return (stream.planned_wire_bytes() + stream.tally().lent_bytes()) / static_cast<int64_t>(frames);
}

// What a run is made of before anything is computed.
struct Ready {
  std::vector<RunModel> models;  // the main one first
  std::unique_ptr<MediaInput> input;
  std::unique_ptr<RunSink> sink{};
  CompiledFiles compiled;
  std::unique_ptr<TraceFile> trace{};  // that was asked for
};

Status open_models_for(const RunOptions& options, Ready& ready) {
  auto models = open_run_models(options);
  if (!models) return models.failure();
  ready.models = std::move(*models);
  std::vector<std::string> paths;
  for (const RunModel& model : ready.models) paths.push_back(model.path.path);
  auto compiled = compiled_among(paths);
  if (!compiled) return bad_input(compiled.error());
  ready.compiled = std::move(*compiled);
  return success();
}

Status open_media(const RunOptions& options, const MakeSink& make_sink, Ready& ready) {
  const auto patience = std::chrono::duration<double>(options.reconnect_seconds);
  auto input = MediaInput::open(
      options.input, {.patience = std::chrono::duration_cast<std::chrono::milliseconds>(patience)});
  if (!input) return bad_input(input.error());
  ready.input = std::make_unique<MediaInput>(std::move(*input));
  if (!options.raw_out.empty())
    if (const Status made = make_folder(options.raw_out); !made) return Error{made.error()};
  auto sink = make_sink({options, *ready.input, ready.models});
  if (!sink) return sink.failure();
  ready.sink = std::move(*sink);
  return success();
}

Result<std::unique_ptr<RunSink>> media_sink(const RunFacts& facts) {
  MediaSinkOptions options{.json = facts.options.json, .tells = !facts.input.is_video()};
  if (!facts.options.out.empty()) {
    auto output = MediaOutput::open(facts.options.out, facts.input);
    if (!output) return usage_error(output.error());
    options.output = std::move(*output);
  }
  return std::unique_ptr<RunSink>(std::make_unique<MediaSink>(std::move(options)));
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
             const Status& status) {
  const int printed = print(options.json ? summary_json(summary, stream.tally())
                                         : summary_text(summary, stream.tally()));
  if (!status) return fail(status.failure());
  if (summary.different() > 0)
    return fail(Exit::runtime, std::to_string(summary.different()) +
                                   " frames differ from what one machine computes");
  if (const auto model = summary.always_late())
    return fail(Exit::runtime,
                "no frame" + (model->empty() ? std::string() : " of model '" + *model + "'") +
                    " met its deadline; allow more time (--deadline), or fewer frames at once "
                    "(--open)");
  if (!summary.left_out.empty())
    return fail(Exit::runtime,
                std::to_string(summary.left_out.size()) + " of " +
                    std::to_string(summary.left_out.size() + summary.frames) +
                    " images could not be read and were left out: " + listed(summary.left_out));
  return printed;
}

// One machine for each model, by its plan's algorithms.
Result<std::deque<BareMachine>> verifiers_for(const RunOptions& options, const Ready& ready,
                                              const RunStreams& streams) {
  std::deque<BareMachine> machines;
  for (size_t i = 0; options.verify && i < ready.models.size(); ++i) {
    const Model& model = ready.models[i].file->model;
    auto executor = make_executor(executor_options_of(options, ready.compiled, false));
    auto machine = BareMachine::make(model, std::move(*executor),
                                     whole_program(model, streams.all[i]->plan().plan));
    if (!machine) return machine.failure();
    machines.push_back(std::move(*machine));
  }
  return machines;
}

std::deque<RunLane> lanes_of(const RunOptions& options, const Ready& ready,
                             const RunStreams& streams, std::deque<BareMachine>& verifiers) {
  std::deque<RunLane> lanes;
  for (size_t i = 0; i < ready.models.size(); ++i) {
    const RunModel& model = ready.models[i];
    const float usual = model.reading.head->usual_min_score;
    lanes.emplace_back(
        LaneParts{.model = model,
                  .thresholds = {.min_score = i == 0 ? options.min_score.value_or(usual) : usual,
                                 .max_overlap = options.max_overlap},
                  .stream = *streams.all[i],
                  .verifier = options.verify ? &verifiers[i] : nullptr,
                  .keeps_pictures = i == 0 && ready.sink->keeps_pictures()});
  }
  return lanes;
}

int run_frames(const RunOptions& options, Ready& ready, const RunStreams& streams, NodePace& pace,
               StopSignals& signals, Membership* membership) {
  FrameStream& stream = streams.main();
  auto verifiers = verifiers_for(options, ready, streams);
  if (!verifiers) return fail(Exit::runtime, verifiers.error());
  std::deque<RunLane> lanes = lanes_of(options, ready, streams, *verifiers);
  Progress progress(options.frames ? options.frames : ready.input->expected(),
                    stderr_is_terminal());
  RunLoop loop({.lanes = lanes,
                .input = *ready.input,
                .signals = signals,
                .sink = *ready.sink,
                .raw_folder = options.raw_out,
                .max_frames = options.frames,
                .membership = membership,
                .pace = options.pace},
               progress);
  const Status status = loop.run();
  pace.end();
  stream.session().stop();
  Summary summary = loop.summary();
  summary.verified = options.verify;
  for (FurtherSummary& each : summary.further) each.verified = options.verify;
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
  return conclude(options, summary, stream, status);
}

}  // namespace

int run_verb(const RunOptions& options) { return run_to(options, media_sink); }

int run_to(const RunOptions& options, const MakeSink& make_sink) {
  StopSignals signals;
  Ready ready;
  if (const Status status = open_models_for(options, ready); !status) return fail(status.failure());
  if (const Status status = open_media(options, make_sink, ready); !status)
    return fail(status.failure());
  if (!options.trace.empty()) {
    auto trace = TraceFile::create(options.trace);
    if (!trace) return fail(trace.failure());
    ready.trace = std::move(*trace);
  }
  auto place = workplace_of(options, signals);
  if (!place) return fail(place.failure());
  Workplace& workplace = *place;
  if (ready.trace)
    ready.trace->begin({.source = TraceHeader::Source::node,
                        .node = workplace.owner,
                        .program = program_version,
                        .model = ready.models.front().path.path,
                        .cluster = options.cluster});
  NodePace pace(pace_of(workplace.cluster, workplace.owner), slowdown_of_file(options.slow_file));
  auto streams = open_run_streams({.options = options,
                                   .models = ready.models,
                                   .compiled = ready.compiled,
                                   .place = workplace,
                                   .pace = pace,
                                   .trace = ready.trace.get()});
  if (!streams) return fail(streams.failure());
  const int code = run_frames(options, ready, *streams, pace, signals, workplace.membership.get());
  if (code == 0 && workplace.workers)
    if (const auto ended = workplace.workers->ended()) note(*ended + "; the others did its work");
  const Status traced = ready.trace ? ready.trace->end() : success();
  return code == 0 && !traced ? fail(traced.failure()) : code;
}

}  // namespace shingle
