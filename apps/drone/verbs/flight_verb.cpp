#include "apps/drone/verbs/flight_verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "apps/cli/command_line.hpp"
#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/pipeline/flight_sink.hpp"
#include "apps/run/run_program.hpp"
#include "apps/system/exit.hpp"

namespace shingle::drone {
namespace {

void describe_tracks(CLI::App& verb, FlightVerbOptions& options) {
  verb.add_option("--run", options.folder,
                  "a new run folder: tables of frames, tracks and events, for count and export")
      ->type_name("FOLDER");
  verb.add_option("--classes", options.classes,
                  "classes that are followed, names or numbers with commas (default: vehicles by "
                  "their names)")
      ->type_name("CLASSES");
  auto* road = verb.add_option("--road", options.road,
                               "a model that says which pixels are road: boxes off it are left out")
                   ->type_name("FILE");
  verb.add_option("--road-every", options.road_every,
                  "it computes each Nth picture; the mask moves with the camera (default: 10)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000))
      ->needs(road);
  verb.add_option("--road-classes", options.road_classes,
                  "classes that are road, names or numbers with commas (default: road)")
      ->type_name("CLASSES")
      ->needs(road);
  verb.add_option("--fps", options.frames_per_second,
                  "frames per second of a folder of images; of videos: their own")
      ->type_name("N")
      ->check(CLI::Range(0.01, 1000.0));
  verb.add_flag("--still", options.stands_still,
                "the camera stands still: do not look for its motion");
  verb.add_flag("--flow", options.recovers_by_flow,
                "follow vehicles that the detector missed by optical flow, ten frames at most");
  describe(verb, options.tracker);
  describe(verb, options.slices);
}

// "A.mp4, B.mp4"
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text.append(text.empty() ? "" : ", ").append(each);
  return text;
}

RunInfo info_of(const FlightVerbOptions& options, double frames_per_second) {
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  RunInfo info{.program = program_version,
               .source = joined(options.run.input),
               .frames_per_second = frames_per_second,
               .options = {{"model", options.run.model.path},
                           {"classes", options.classes},
                           {"road", options.road},
                           {"road_every", std::to_string(options.road_every)},
                           {"road_classes", options.road_classes},
                           {"high", as_written(options.tracker.high_score)},
                           {"match", as_written(options.tracker.match_limit)},
                           {"buffer", as_written(options.tracker.buffer_frames)},
                           {"still", truth(options.stands_still)},
                           {"flow", truth(options.recovers_by_flow)},
                           {"observation_centric", truth(options.tracker.is_observation_centric)},
                           {"low_rate", truth(options.tracker.is_low_rate)},
                           {"site", options.events.site},
                           {"mqtt", options.events.mqtt}}};
  std::ranges::move(facts_of(options.slices), std::back_inserter(info.options));
  std::ranges::move(facts_of(options.places), std::back_inserter(info.options));
  info.crs = options.places.crs;
  return info;
}

Result<double> rate_of(const FlightVerbOptions& options, const MediaInput& input) {
  if (input.is_video()) {
    if (options.frames_per_second)
      return usage_error("--fps is for folders of images; a video has times of its own");
    return input.frames_per_second();
  }
  if (!options.frames_per_second)
    return usage_error("images have no times; give --fps, how many were taken in a second");
  return *options.frames_per_second;
}

Result<std::optional<RoadLayer>> road_layer(const FlightVerbOptions& options,
                                            const RunFacts& facts) {
  if (options.road.empty()) return std::optional<RoadLayer>{};
  const auto of = std::ranges::find(facts.models, std::string(road_model), &RunModel::name);
  auto layer = RoadLayer::make(of->reading.names, options.road_classes);
  if (!layer) return layer.failure();
  return std::optional(std::move(*layer));
}

// Now, so that what cannot be written ends the run before the cluster is asked.
Status open_outputs(const FlightVerbOptions& options, const RunFacts& facts, double track_end,
                    FlightSinkOptions& sink) {
  if (!options.folder.empty()) {
    RunInfo info = info_of(options, sink.frames_per_second);
    info.has_ground = sink.flight.has_value();
    auto writer = RunWriter::begin(options.folder, info, track_end);
    if (!writer) return writer.failure();
    sink.writer = std::move(*writer);
  }
  if (!options.run.out.empty()) {
    auto output = MediaOutput::open(options.run.out, facts.input);
    if (!output) return usage_error(output.error());
    sink.output = std::move(*output);
  }
  return success();
}

Result<std::unique_ptr<RunSink>> flight_sink(const FlightVerbOptions& options,
                                             const RunFacts& facts) {
  const RunModel& model = facts.models.front();
  auto classes = VehicleClasses::make(model.reading.names, options.classes);
  if (!classes) return classes.failure();
  const auto rate = rate_of(options, facts.input);
  if (!rate) return rate.failure();
  auto flight = read_log(options.places, options.frames_per_second);
  if (!flight) return flight.failure();
  const auto view = view_options(options.places);
  if (!view) return view.failure();
  auto road = road_layer(options, facts);
  if (!road) return road.failure();
  auto lookout = lookout_options(
      options.slices,
      {.detector = model,
       .input = facts.input,
       .run = options.run,
       .rate = *rate,
       .mask_every = options.road.empty() ? std::nullopt : std::optional(options.road_every)});
  if (!lookout) return lookout.failure();
  const ByteTrackOptions tracker = byte_track_options(options.tracker, *rate);
  const double track_end = track_end_seconds(tracker.lost_frames, *rate);
  auto events = flight_events(options.events, track_end);
  if (!events) return events.failure();
  FlightSinkOptions sink{.events = std::move(*events),
                         .json = options.run.json,
                         .frames_per_second = *rate,
                         .tracker = tracker,
                         .finds_motion = !options.stands_still,
                         .recovers_by_flow = options.recovers_by_flow,
                         .classes = std::move(*classes),
                         .names = model.reading.names,
                         .road = std::move(*road),
                         .road_every = options.road_every,
                         .flight = std::move(*flight),
                         .view = *view,
                         .log_offset = options.places.offset.value_or(0.0),
                         .lookout = *lookout};
  if (const Status opened = open_outputs(options, facts, track_end, sink); !opened)
    return opened.failure();
  return std::unique_ptr<RunSink>(std::make_unique<FlightSink>(std::move(sink)));
}

}  // namespace

void describe(CLI::App& verb, FlightVerbOptions& options) {
  shingle::describe(verb, options.run);
  describe_tracks(verb, options);
  describe(verb, options.places);
  verb.get_option("--crs")->needs(verb.get_option("--run"));
  describe(verb, options.events);
  verb.footer(
      "\nExamples:\n"
      "  shingle-drone run flights.onnx flight.mp4 --run flight --out tracks.mp4\n"
      "  shingle-drone run flights.onnx flight.mp4 --log DJI_0042.SRT --run flight --json\n"
      "  shingle-drone run yolox_nano.onnx street.mp4 --still --classes car,bus,truck --run "
      "street\n"
      "  shingle-drone run flights.onnx flight.mp4 --cluster boards.toml --id 9 --run flight\n"
      "  shingle-drone run flights.onnx rtsp://10.0.0.5/cam --site site.toml --mqtt "
      "mqtt://10.0.0.1/drone\n"
      "  shingle-drone count flight --site site.toml");
}

int run_verb(const FlightVerbOptions& options) {
  const EventVerbOptions& events = options.events;
  if (options.folder.empty() && options.run.out.empty() && !options.run.json && events.mqtt.empty())
    return fail(Exit::usage,
                "nothing would be kept; give --run FOLDER, --out VIDEO, --mqtt TOPIC or --json");
  if (!events.site.empty() && options.folder.empty() && events.mqtt.empty())
    return fail(Exit::usage, "nobody would hear of the site's events; give --run or --mqtt too");
  RunOptions run = options.run;
  if (!run.min_score) run.min_score = 0.1F;  // ByteTrack's second stage takes weak boxes
  if (!options.road.empty())
    run.further_models.push_back(std::string(road_model) + "=" + options.road + ":" +
                                 std::to_string(options.road_every));
  run.pace = {.as_live = options.slices.is_paced,
              .images_per_second = options.frames_per_second.value_or(0.0)};
  return run_to(run, [&options](const RunFacts& facts) { return flight_sink(options, facts); });
}

}  // namespace shingle::drone
