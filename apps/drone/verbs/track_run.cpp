#include "apps/drone/verbs/track_run.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "apps/cli/command_line.hpp"
#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/count/path.hpp"
#include "apps/drone/results/key_place.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

// "1920x1080"; nothing without a text.
Result<PictureSize> size_of(const std::string& text) {
  PictureSize size;
  if (text.empty()) return size;
  const char* end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    if (height.ec == std::errc() && height.ptr == end && size.width > 0 && size.height > 0)
      return size;
  }
  return usage_error("--size is " + in_quotes(text) +
                     "; write width and height in pixels, such as 1920x1080");
}

RunInfo info_of(const TrackVerbOptions& options, const PictureSize& size) {
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  RunInfo info{.program = program_version,
               .source = options.detections,
               .frames_per_second = options.frames_per_second,
               .width = size.width,
               .height = size.height,
               .has_ground = !options.places.log.empty(),
               .crs = options.places.crs,
               .options = {{"high", as_written(options.tracker.high_score)},
                           {"match", as_written(options.tracker.match_limit)},
                           {"buffer", as_written(options.tracker.buffer_frames)},
                           {"no_fuse", truth(options.leaves_scores_out)},
                           {"observation_centric", truth(options.tracker.is_observation_centric)},
                           {"low_rate", truth(options.tracker.is_low_rate)},
                           {"camera_motion", options.camera_motion},
                           {"video", options.video},
                           {"flow", truth(options.recovers_by_flow)},
                           {"motion_from_boxes", truth(options.finds_motion_by_boxes)},
                           {"times", options.times}}};
  std::ranges::move(facts_of(options.places), std::back_inserter(info.options));
  return info;
}

Result<std::optional<GroundReader>> ground_of(const PlaceOptions& options,
                                              const PictureSize& size) {
  auto flight = read_log(options);
  if (!flight) return flight.failure();
  if (!*flight) return std::optional<GroundReader>{};
  auto view = view_options(options);
  if (!view) return view.failure();
  view->width = size.width;
  view->height = size.height;
  auto ground = GroundReader::make(std::move(**flight), *view, options.offset.value_or(0.0));
  if (!ground) return ground.failure();
  return std::optional(std::move(*ground));
}

}  // namespace

Result<TrackRun> TrackRun::begin(const TrackVerbOptions& options, double lost_frames) {
  const auto size = size_of(options.size);
  if (!size) return size.failure();
  auto ground = ground_of(options.places, *size);
  if (!ground) return ground.failure();
  auto writer = RunWriter::begin(options.run, info_of(options, *size),
                                 track_end_seconds(lost_frames, options.frames_per_second));
  if (!writer) return writer.failure();
  return TrackRun(std::move(*writer), std::move(*ground));
}

Status TrackRun::write(uint32_t frame, double seconds, const std::optional<Homography>& to_key,
                       std::span<const TrackedBox> tracked,
                       std::span<const DetectedBox> detections) {
  std::vector<Sighting> sightings;
  if (ground_) ground_->begin_frame(seconds);
  for (const TrackedBox& each : tracked)
    sightings.push_back(
        {.frame = frame,
         .seconds = seconds,
         .track = each.id,
         .class_id = each.class_id,
         .score = each.score,
         .box = each.box,
         .key = middle_in_key_frame(each.box, to_key),
         // Classes are numbers here, so all are as high as cars.
         .ground = ground_ ? ground_->read(each, VehicleKind::car) : GroundReading{}});
  std::vector<FoundBox> found;
  for (const DetectedBox& each : detections) found.push_back({.box = each});
  return writer_.write({.frame = frame,
                        .seconds = seconds,
                        .sightings = std::move(sightings),
                        .found = std::move(found),
                        .to_key = to_key},
                       ground());
}

Status TrackRun::finish() {
  if (const Status flushed = flush(); !flushed) return flushed;
  return writer_.finish();
}

}  // namespace shingle::drone
