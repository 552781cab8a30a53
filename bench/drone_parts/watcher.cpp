#include "bench/drone_parts/watcher.hpp"

#include "apps/drone/pipeline/lookout.hpp"
#include "apps/drone/verbs/slice_options.hpp"

namespace shingle::bench {
namespace {

constexpr uint64_t looks = 3;            // to find the scale, to look, to correct it
constexpr double seconds_between = 2.0;  // so that each look leaves nothing out

}  // namespace

std::vector<Detection> watch(Eyes& eyes, const cv::Mat& image, double scale, uint64_t& slices) {
  const Picture picture{.image = image, .name = {}};
  drone::Lookout lookout({.slices = drone::SlicePlannerOptions{.metres_per_pixel = scale,
                                                               .input_width = eyes.input().w,
                                                               .input_height = eyes.input().h},
                          .input = eyes.input(),
                          .preparation = eyes.reading().preparation});
  Detections found;
  for (uint64_t frame = 0; frame < looks; ++frame) {
    const double seconds = static_cast<double>(frame) * seconds_between;
    std::vector<Finding> findings;
    for (const cv::Mat& part :
         lookout.look_at({.frame = frame, .picture = picture}, seconds, std::nullopt))
      findings.push_back(eyes.look(part));
    found = std::get<Detections>(lookout.joined(frame, std::move(findings)));
    std::vector<drone::DetectedBox> vehicles;
    for (const auto& [class_id, score, box] : found)
      vehicles.push_back({{box.x, box.y, box.w, box.h}, score, class_id});
    const auto whole = drone::whole_vehicles(vehicles, image.size());
    lookout.followed(frame, {.seconds = seconds, .whole_vehicles = whole});
  }
  Summary summary;
  lookout.add_to(summary);
  slices += summary.slices->computed;
  return found;
}

std::optional<double> scale_in_file(const Eyes& eyes) {
  return drone::stated_scale(eyes.reading()).value();
}

}  // namespace shingle::bench
