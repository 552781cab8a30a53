#include "apps/scene/frame.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <opencv2/imgproc.hpp>

#include "apps/scene/overhead.hpp"

namespace shingle {
namespace {

constexpr double supersampling = 2.0;

void dim(cv::Mat& image, const cv::Mat& light) {
  image.forEach<cv::Vec3b>([&](cv::Vec3b& value, const int* at) {
    const int factor = light.at<uchar>(at[0], at[1]);
    // Shadows are lit by the sky: blue loses less.
    value[0] = static_cast<uchar>(value[0] * std::min(255, factor + (255 - factor) / 8) / 255);
    value[1] = static_cast<uchar>(value[1] * factor / 255);
    value[2] = static_cast<uchar>(value[2] * factor / 255);
  });
}

// One picture under construction: everything at the finer camera.
class Composer {
 public:
  Composer(const Scene& scene, const GroundMap& ground, const SceneCamera& camera)
      : scene_(scene), camera_(finer(camera, supersampling)), view_(view_of(camera_)) {
    const cv::Mat transform = ground_transform(ground.camera, camera_);
    cv::warpAffine(ground.colour, image_, transform, camera_.size, cv::INTER_LINEAR,
                   cv::BORDER_REFLECT);
    ids_ = cv::Mat::zeros(camera_.size, CV_16U);
  }

  void draw_level(const std::vector<Vehicle>& vehicles, double level) {
    cv::Mat light(camera_.size, CV_8U, grey(255));
    for (const Vehicle& vehicle : vehicles)
      if (vehicle.level == level)
        draw_shadow(light, view_, vehicle, scene_.look.sun, scene_.look.shade);
    soften(light, 0.12);
    if (level == 0.0) light = without_tall(light);
    dim(image_, light);
    for (const Vehicle& vehicle : vehicles)
      if (vehicle.level == level) draw_vehicle(vehicle);
  }

  void draw_tall(const std::vector<Vehicle>& vehicles) {
    dim(image_, tall_light());
    for (size_t i = 0; i < scene_.roads.size(); ++i)
      if (const Road& road = scene_.roads[i]; road.level > 0) {
        draw_bridge(image_, ids_, camera_, road, sim::mix(scene_.options.seed, i));
        draw_level(vehicles, road.level);
      }
    for (const Post& post : scene_.posts) draw_post(image_, view_, post);
    for (const Building& building : scene_.buildings) draw_building(image_, ids_, view_, building);
    for (const Tree& tree : scene_.trees) draw_tree(image_, ids_, view_, tree, scene_.look.sun);
  }

  const cv::Mat& image() const { return image_; }
  std::map<int, int64_t> pixels_of_ids() const {
    std::map<int, int64_t> counts;
    for (const uint16_t id : cv::Mat_<uint16_t>(ids_))
      if (id != 0) ++counts[id];
    return counts;
  }

 private:
  void draw_vehicle(const Vehicle& vehicle) {
    const Outline outline = silhouette(view_, vehicle);
    const Box box = bounds(outline);
    if (box.x > static_cast<float>(camera_.size.width) ||
        box.y > static_cast<float>(camera_.size.height) || box.x + box.w < 0 || box.y + box.h < 0)
      return;
    draw(image_, view_, vehicle);
    fill(ids_, outline, grey(vehicle.id % 65536));
  }

  const cv::Mat& tall_light() {
    if (tall_.empty()) {
      tall_ = tall_shadows(scene_, camera_);
      soften(tall_, 0.2);
    }
    return tall_;
  }

  // What a shadow adds where a tall one falls already, and will be applied: nothing.
  cv::Mat without_tall(const cv::Mat& light) {
    cv::Mat darker, added;
    cv::min(light, tall_light(), darker);
    cv::divide(darker, tall_light(), added, 255.0);
    return added;
  }

  void soften(cv::Mat& light, double metres) const {
    const double sigma = std::max(0.6, metres / camera_.metres_per_pixel);
    cv::GaussianBlur(light, light, {}, sigma);
  }

  const Scene& scene_;
  SceneCamera camera_;
  SceneView view_;
  cv::Mat image_, ids_, tall_;
};

// Air and lens: blur, sharpening, haze, contrast, colour, sensor noise.
cv::Mat photograph(const cv::Mat& drawn, const SceneOptions& options, const SceneLook& look,
                   uint32_t frame) {
  cv::Mat small, blurred;
  cv::resize(drawn, small, options.size, 0, 0, cv::INTER_AREA);
  small.convertTo(small, CV_32FC3);
  if (look.blur_pixels > 0.05) cv::GaussianBlur(small, small, {}, look.blur_pixels);
  if (look.sharpen > 0) {
    cv::GaussianBlur(small, blurred, {}, 1.2);
    small += (small - blurred) * look.sharpen;
  }
  SceneDice dice(sim::mix(options.seed, sim::mix(13, frame)));
  const cv::Mat grain = noise(dice, options.size, {.coarsest = 2, .finest = 1, .persistence = 1.5});
  cv::Mat picture(options.size, CV_8UC3);
  picture.forEach<cv::Vec3b>([&](cv::Vec3b& out, const int* at) {
    const cv::Vec3f& in = small.at<cv::Vec3f>(at[0], at[1]);
    const double luma = 0.114 * in[0] + 0.587 * in[1] + 0.299 * in[2];
    const double speckle = look.noise * grain.at<float>(at[0], at[1]);
    for (int c = 0; c < 3; ++c) {
      double value = luma + (in[c] - luma) * look.saturation;
      value = (value - 118) * look.contrast + 118 + look.brightness;
      value = (value * (1 - look.haze) + 205 * look.haze) * look.cast[c];
      out[c] = cv::saturate_cast<uchar>(value + speckle);
    }
  });
  return picture;
}

double area_of(const Outline& outline) {
  std::vector<cv::Point2f> single(outline.begin(), outline.end());
  return cv::contourArea(single);
}

VehicleTruth truth_of(const Vehicle& vehicle, const Outline& outline, double seen_pixels,
                      cv::Size size) {
  const Box box =
      clipped(bounds(outline), static_cast<float>(size.width), static_cast<float>(size.height));
  return {.id = vehicle.id,
          .vehicle_class = vehicle.shape.vehicle_class,
          .box = box,
          .visible = std::min(1.0, seen_pixels / std::max(1.0, area_of(outline))),
          .speed = vehicle.speed,
          .pose = vehicle.pose};
}

}  // namespace

SceneRenderer::SceneRenderer(const Scene& scene)
    : ground_(paint_ground(scene, scene.options.metres_per_pixel / 1.6)) {}

SceneFrame SceneRenderer::render(const Scene& scene, uint32_t frame) const {
  SceneFrame result;
  result.camera = camera_at(scene, frame);
  const std::vector<Vehicle> vehicles = vehicles_of(scene);
  Composer composer(scene, ground_, result.camera);
  composer.draw_level(vehicles, 0.0);
  composer.draw_tall(vehicles);
  result.picture = photograph(composer.image(), scene.options, scene.look, frame);

  const cv::Size size = result.camera.size;
  cv::warpAffine(ground_.road, result.road, ground_transform(ground_.camera, result.camera), size,
                 cv::INTER_NEAREST);
  for (const Road& road : scene.roads)
    if (road.level > 0) {
      const Outline deck = strip(road, 0, length_of(road), -kerb(road, false), kerb(road, true));
      cv::Mat mask = cv::Mat::zeros(size, CV_8U);
      fill(mask, pixels(result.camera, deck, road.level), grey(255));
      result.road.setTo(255, mask > 127);
    }
  const SceneView view = view_of(result.camera);
  const std::map<int, int64_t> seen = composer.pixels_of_ids();
  for (const Vehicle& vehicle : vehicles) {
    const Outline outline = silhouette(view, vehicle);
    const auto found = seen.find(static_cast<int>(vehicle.id % 65536));
    const double count = found == seen.end() ? 0.0 : static_cast<double>(found->second);
    const VehicleTruth truth =
        truth_of(vehicle, outline, count / (supersampling * supersampling), size);
    if (truth.box.w > 0 && truth.box.h > 0) result.vehicles.push_back(truth);
  }
  return result;
}

}  // namespace shingle
