// A recorded clip with MISB 0601 telemetry: does its pose say what its own frame centres say, is
// the log's offset found from the pictures, and do pixels and log agree on the camera's motion?
// Prints one JSON object: bench-drone-misb CLIP
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "apps/drone/align/picture_offset.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "apps/drone/track/camera_motion.hpp"
#include "apps/drone/verbs/flight_file.hpp"
#include "apps/drone/verbs/video_pictures.hpp"

namespace {

using namespace shingle;
using namespace shingle::drone;

template <class Value>
Value must(Result<Value> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().c_str());
  std::exit(1);
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Clip {
  double rate = 30.0, width = 0.0, height = 0.0;
  std::vector<PictureMotion> motions{};
  std::vector<PictureStep> steps{};
  std::vector<double> seconds{};
};

Clip read_clip(const std::string& path) {
  VideoPictures video = must(VideoPictures::open(path));
  Clip clip{.rate = video.frames_per_second()};
  while (must(video.next({}))) {
    clip.motions.push_back(video.motion());
    const double now = *video.seconds();
    if (video.motion().from_previous)
      clip.steps.push_back({clip.seconds.back(), now, *video.motion().from_previous});
    clip.seconds.push_back(now);
  }
  clip.width = video.width();
  clip.height = video.height();
  return clip;
}

// Of each sample: metres between the centre by its pose and by its own words.
double median_centre_error(const Flight& flight, const ViewOptions& options) {
  const LocalFrame frame = must(local_frame_of(flight));
  std::vector<double> errors;
  for (const Telemetry& sample : flight.samples) {
    if (!sample.centre_latitude || !sample.centre_longitude) continue;
    const LogView view = must(view_of(sample, frame, options));
    const Eigen::Vector2d middle(options.width / 2.0, options.height / 2.0);
    // Both at the height that the log gives its centre: the ground is no plane of local metres so
    // far away.
    const Eigen::Vector3d told =
        frame.to_local({*sample.centre_latitude, *sample.centre_longitude, view.ground});
    const auto seen = ground_point(view.camera, view.pose, middle, told.z());
    if (seen) errors.push_back((*seen - told.head<2>()).norm());
  }
  return quantile(errors, 0.5);
}

// The mean distance over nine points of the picture, in pixels of the picture that both lead to.
double difference(const Homography& a, const Homography& b, const ViewOptions& options) {
  double sum = 0.0;
  for (const double x : {0.1, 0.5, 0.9})
    for (const double y : {0.1, 0.5, 0.9}) {
      const Eigen::Vector3d point(x * options.width, y * options.height, 1.0);
      const Eigen::Vector3d p = a * point, q = b * point;
      sum += (p.head<2>() / p.z() - q.head<2>() / q.z()).norm();
    }
  return sum / 9.0;
}

struct Compared {
  std::vector<double> pixels{};  // of each picture's motion
  size_t without_log = 0;        // pictures
};

// Each picture's motion to its key frame, by pixels and by the log. The log may begin after the
// clip, so that it lacks a key frame. Then motions are compared to the first picture that it has:
//
//   key frame  .  first that the log has  .  .  .  picture
//       ^---------------- to_key ------------------|
//       ^--- to_key ---|                              together: from the picture to the first one
//                      ^------ by the log ---------|
Compared compare(const Clip& clip, const Flight& flight, double offset,
                 const ViewOptions& options) {
  struct First {
    uint64_t key = 0;
    Homography to_key{};
    LogView view{};
  };
  const LocalFrame frame = must(local_frame_of(flight));
  const double begin = flight.samples.front().seconds, end = flight.samples.back().seconds;
  std::optional<First> first;
  Compared compared;
  for (size_t picture = 0; picture < clip.motions.size(); ++picture) {
    const PictureMotion& motion = clip.motions[picture];
    const double seconds = clip.seconds[picture] + offset;
    const bool has_log = seconds >= begin && seconds <= end;
    if (!has_log) ++compared.without_log;
    if (!has_log || !motion.to_key) continue;
    const LogView view = must(view_of(must(telemetry_at(flight, seconds)), frame, options));
    if (!first || first->key != motion.key) {
      first = First{motion.key, *motion.to_key, view};
      continue;
    }
    const Homography by_pixels = inverse_of(first->to_key) * *motion.to_key;
    if (const auto by_log = motion_between(view, first->view))
      compared.pixels.push_back(difference(by_pixels, *by_log, options));
  }
  return compared;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench-drone-misb CLIP\n");
    return 2;
  }
  const Flight flight = must(read_flight_file(argv[1]));
  const Clip clip = read_clip(argv[1]);
  const ViewOptions options{.width = clip.width, .height = clip.height};
  const FoundOffset offset = must(offset_by_pictures(flight, clip.steps, options));
  const Compared compared = compare(clip, flight, offset.seconds, options);
  const std::vector<double>& errors = compared.pixels;
  const auto unknown = std::ranges::count_if(
      clip.motions, [](const PictureMotion& motion) { return !motion.to_key; });
  const auto keys = std::ranges::count_if(
      clip.motions, [](const PictureMotion& motion) { return motion.is_key; });
  std::printf(
      "{\"misb_median_m\": %.6g, \"misb_offset_frames\": %.6g, \"misb_motion_px\": %.6g, "
      "\"misb_motion_p95_px\": %.6g, \"pictures\": %zu, \"without_log\": %zu, "
      "\"compared\": %zu, \"unknown\": %td, "
      "\"key_frames\": %td}\n",
      median_centre_error(flight, options), std::abs(offset.seconds) * clip.rate,
      quantile(errors, 0.5), quantile(errors, 0.95), clip.motions.size(), compared.without_log,
      errors.size(), unknown, keys);
  return 0;
}
