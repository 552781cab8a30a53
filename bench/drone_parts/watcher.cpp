#include "bench/drone_parts/watcher.hpp"

#include "apps/drone/pipeline/lookout.hpp"
#include "apps/drone/pipeline/one_box_each.hpp"
#include "apps/drone/verbs/slice_options.hpp"

namespace shingle::bench {
namespace {

constexpr uint64_t looks = 3;            // to find the scale, to look, to correct it
constexpr double seconds_between = 2.0;  // so that each look leaves nothing out

std::vector<drone::DetectedBox> vehicles_of(std::span<const Detection> found) {
  std::vector<drone::DetectedBox> boxes;
  for (const auto& [class_id, score, box] : found)
    boxes.push_back({{box.x, box.y, box.w, box.h}, score, class_id});
  return drone::one_box_each(std::move(boxes), photograph_thresholds.max_overlap);
}

Box box_of(const drone::PixelBox& box) {
  return {static_cast<float>(box.x), static_cast<float>(box.y), static_cast<float>(box.w),
          static_cast<float>(box.h)};
}

}  // namespace

std::vector<Detection> as_followed(std::span<const Detection> found) {
  std::vector<Detection> vehicles;
  for (const auto& [box, score, class_id] : vehicles_of(found))
    vehicles.push_back({class_id, static_cast<float>(score), box_of(box)});
  return vehicles;
}

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
    const auto whole = drone::whole_vehicles(vehicles_of(found), image.size());
    found = as_followed(found);
    std::erase_if(found, [&](const Detection& each) {  // all classes are cars or larger
      return lookout.is_too_short(frame, {each.box.x, each.box.y, each.box.w, each.box.h});
    });
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
