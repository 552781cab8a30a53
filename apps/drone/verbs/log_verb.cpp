#include "apps/drone/verbs/log_verb.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "apps/drone/align/picture_offset.hpp"
#include "apps/drone/logs/flight_summary.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "apps/drone/verbs/log_report.hpp"
#include "apps/drone/verbs/video_pictures.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/progress.hpp"

namespace shingle::drone {
namespace {

void describe_video(CLI::App& verb, LogVerbOptions& options) {
  const auto add = [&verb](const char* name, auto& value, const char* type, const char* text) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  auto* video = add("--video", options.video, "FILE",
                    "find the log's offset to this video by how its pictures move");
  add("--fps", options.frames_per_second, "N",
      "frames per second of a folder of images, as log or as video")
      ->check(CLI::Range(0.01, 1000.0));
  describe_view(verb, options.log, video);
}

// The camera's motion from picture to picture, by the video's own time; of images by their rate.
Result<std::vector<PictureStep>> steps_in(VideoPictures& video, double frames_per_second) {
  std::vector<PictureStep> steps;
  double before = 0.0;
  Progress progress(video.expected(), stderr_is_terminal(), "pictures");
  for (;;) {
    const auto more = video.next({});
    if (!more) return more.failure();
    if (!*more) return steps;
    progress.done(video.frame());
    const double now = video.seconds().value_or((video.frame() - 1) / frames_per_second);
    if (video.motion().from_previous) steps.push_back({before, now, *video.motion().from_previous});
    before = now;
  }
}

Result<FoundOffset> offset_to(const LogVerbOptions& options, const Flight& flight) {
  auto video = VideoPictures::open(options.video);
  if (!video) return video.failure();
  if (video->has_times() && options.frames_per_second)
    return usage_error("--fps is for folders of images; a video has times of its own");
  if (!video->has_times() && !options.frames_per_second)
    return usage_error("images have no times; give --fps, how many were taken in a second");
  const double rate = options.frames_per_second.value_or(video->frames_per_second());
  const auto steps = steps_in(*video, rate);
  if (!steps) return steps.failure();
  ViewOptions view = view_options(options.log);
  view.width = video->width();
  view.height = video->height();
  return offset_by_pictures(flight, *steps, view);
}

}  // namespace

void describe(CLI::App& verb, LogVerbOptions& options) {
  verb.add_option("FILE", options.file,
                  "DJI subtitles (SRT), CSV, MISB 0601 KLV, a video that has one of these within, "
                  "a photograph or a folder of them")
      ->type_name("")
      ->required();
  describe_reading(verb, options.log, nullptr);
  verb.add_option("--at", options.at, "the telemetry at this time of the log, interpolated")
      ->type_name("SECONDS");
  describe_video(verb, options);
  auto* json = verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.add_flag("--csv", options.csv, "all samples as CSV, in units of this program")
      ->excludes(json)
      ->excludes("--video");
  verb.footer(
      "\nExamples:\n"
      "  shingle-drone log DJI_0042.SRT\n"
      "  shingle-drone log DJI_0042.SRT --zone 9 --at 12.5 --json\n"
      "  shingle-drone log DJI_0042.MP4\n"
      "  shingle-drone log photographs/ --fps 0.5\n"
      "  shingle-drone log flight.csv --columns 'time=t:ms, latitude=lat, longitude=lon, "
      "height=alt:ft'\n"
      "  shingle-drone log flight.klv --csv > flight.csv\n"
      "  shingle-drone log flight.csv --video flight.mp4 --focal-35mm 24");
}

int run_verb(const LogVerbOptions& options) {
  std::error_code ignored;
  if (options.frames_per_second && options.video.empty() &&
      !std::filesystem::is_directory(options.file, ignored))
    return fail(Exit::usage, "--fps is for a folder of photographs, or for --video");
  const auto flight =
      read_flight_file(options.file, file_options(options.log, options.frames_per_second));
  if (!flight) return fail(flight.failure());
  std::optional<Telemetry> moment;
  if (options.at) {
    const auto found = telemetry_at(*flight, *options.at);
    if (!found) return fail(found.failure());
    moment = *found;
  }
  std::optional<FoundOffset> offset;
  if (!options.video.empty()) {
    const auto found = offset_to(options, *flight);
    if (!found) return fail(found.failure());
    offset = *found;
  }
  if (options.csv) {
    for (const std::string& each : flight->notes) note("'" + options.file + "': " + each);
    if (!moment) return print(csv_of(*flight));
    Flight alone = *flight;
    alone.samples = {*moment};
    return print(csv_of(alone));
  }
  const FlightSummary summary = summary_of(*flight);
  return print(options.json ? log_json(*flight, summary, moment, offset)
                            : log_text(*flight, summary, moment, offset));
}

}  // namespace shingle::drone
