// A recorded clip with MISB 0601 telemetry: does its pose say what its own frame centres say, is
// the log's offset found from the pictures, and do pixels and log agree on the camera's motion?
// Prints one JSON object: bench-drone-misb CLIP
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/drone/align/picture_offset.hpp"
#include "apps/drone/logs/interpolation.hpp"
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

// The mean over nine points of the picture, in pixels of the key frame.
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
  const LocalFrame frame = must(local_frame_of(flight));
  const auto view_at = [&](uint64_t picture) -> std::optional<LogView> {
    const auto moment = telemetry_at(flight, clip.seconds[picture] + offset.seconds);
    if (!moment) return std::nullopt;
    const auto view = view_of(*moment, frame, options);
    return view ? std::optional(*view) : std::nullopt;
  };
  std::vector<double> errors;
  size_t unknown = 0, keys = 0;
  for (size_t picture = 0; picture < clip.motions.size(); ++picture) {
    const PictureMotion& motion = clip.motions[picture];
    keys += motion.is_key ? 1 : 0;
    unknown += motion.to_key ? 0 : 1;
    if (!motion.to_key || motion.key == picture) continue;
    const auto here = view_at(picture), key = view_at(motion.key);
    if (!here || !key) continue;
    if (const auto by_log = motion_between(*here, *key))
      errors.push_back(difference(*motion.to_key, *by_log, options));
  }
  std::printf(
      "{\"misb_median_m\": %.6g, \"misb_offset_frames\": %.6g, \"misb_motion_px\": %.6g, "
      "\"misb_motion_p95_px\": %.6g, \"pictures\": %zu, \"compared\": %zu, \"unknown\": %zu, "
      "\"key_frames\": %zu}\n",
      median_centre_error(flight, options), std::abs(offset.seconds) * clip.rate,
      quantile(errors, 0.5), quantile(errors, 0.95), clip.motions.size(), errors.size(), unknown,
      keys);
  return 0;
}
