#include "apps/scene/overhead.hpp"

#include <algorithm>
#include <cmath>

#include "apps/scene/ground.hpp"

namespace shingle {
namespace {

constexpr double deck_metres = 1.2;  // thickness of a bridge

struct Leaf {
  cv::Point2d at;
  double z, radius, light;
};

// The crown as balls, the low dark ones first. The same for every frame.
std::vector<Leaf> crown(const Tree& tree, cv::Point2d sun) {
  SceneDice dice(tree.seed);
  const double span = std::hypot(sun.x, sun.y) + 1e-9;
  const cv::Point2d to_sun = sun * (-1.0 / span);
  const int count = 40 + static_cast<int>(tree.radius * tree.radius * 14);
  std::vector<Leaf> leaves;
  for (int i = 0; i < count; ++i) {
    const double height = double(i) / count;  // 0 low and wide, 1 the top
    const double reach = tree.radius * std::sqrt(dice.within(0, 1)) * (1.0 - 0.55 * height);
    const cv::Point2d off = forward(dice.within(0, 2 * CV_PI)) * reach;
    const double facing = (off.x * to_sun.x + off.y * to_sun.y) / tree.radius;
    leaves.push_back({.at = tree.at + off,
                      .z = tree.height * (0.55 + 0.45 * height),
                      .radius = tree.radius * (0.30 - 0.20 * height) * dice.within(0.6, 1.3),
                      .light = 0.5 + 0.45 * height + 0.3 * facing + dice.within(-0.14, 0.14)});
  }
  return leaves;
}

void extrude(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera, const Building& building) {
  const Outline low = pixels(camera, building.outline, 0);
  const Outline high = pixels(camera, building.outline, building.height);
  for (size_t i = 0; i < low.size(); ++i) {
    const size_t j = (i + 1) % low.size();
    const Outline wall{low[i], low[j], high[j], high[i]};
    fill(image, wall, shaded(building.wall, i % 2 == 0 ? 0.75 : 0.6));
    if (!hidden.empty()) fill(hidden, hull(wall), grey(0));
  }
  fill(image, high, building.roof);
  if (!hidden.empty()) fill(hidden, high, grey(0));
}

void cast(cv::Mat& light, const SceneCamera& camera, const Outline& outline, double height,
          cv::Point2d sun, double shade) {
  Outline reach = pixels(camera, outline, 0);
  for (const cv::Point2d& point : outline) reach.push_back(pixel(camera, point + sun * height, 0));
  fill(light, hull(reach), grey(shade * 255));
}

}  // namespace

void draw_tree(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera, const Tree& tree,
               cv::Point2d sun) {
  for (const Leaf& leaf : crown(tree, sun)) {
    const cv::Point2d at = pixel(camera, leaf.at, leaf.z);
    const double radius = leaf.radius / camera.metres_per_pixel;
    fill_circle(image, at, radius, shaded(tree.leaves, leaf.light));
    if (!hidden.empty()) fill_circle(hidden, at, radius, grey(0));
  }
}

void draw_building(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera,
                   const Building& building) {
  extrude(image, hidden, camera, building);
  for (const Patch& detail : building.details)
    fill(image, pixels(camera, detail.outline, building.height), detail.colour);
}

void draw_bridge(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera, const Road& road,
                 uint64_t seed) {
  const double left = kerb(road, false) + road.sidewalk, right = kerb(road, true) + road.sidewalk;
  const Outline deck = strip(road, 0, length_of(road), -left - 0.3, right + 0.3);
  fill(image, pixels(camera, deck, road.level - deck_metres), grey(78));
  fill(image, pixels(camera, deck, road.level), grey(road.asphalt + 55));  // parapets
  if (!hidden.empty()) fill(hidden, pixels(camera, deck, road.level), grey(0));
  paint_road({image}, camera, road, seed);
}

void draw_post(cv::Mat& image, const SceneCamera& camera, const Post& post) {
  const double width = std::max(1.0, 0.14 / camera.metres_per_pixel);
  const cv::Point2d foot = pixel(camera, post.at, 0), top = pixel(camera, post.at, post.height);
  stroke(image, {foot, top, pixel(camera, post.at + post.arm, post.height)}, width, grey(170));
}

cv::Mat tall_shadows(const Scene& scene, const SceneCamera& camera) {
  cv::Mat light(camera.size, CV_8U, grey(255));
  const cv::Point2d sun = scene.look.sun;
  const double shade = scene.look.shade;
  for (const Building& building : scene.buildings)
    cast(light, camera, building.outline, building.height, sun, shade);
  for (const Road& road : scene.roads)
    if (road.level > 0) {
      const double d = kerb(road, true) + road.sidewalk;
      Outline deck = strip(road, 0, length_of(road), -d, d);
      for (cv::Point2d& point : deck) point += sun * (road.level - deck_metres);
      fill(light, pixels(camera, deck, 0), grey(shade * 255));
    }
  for (const Tree& tree : scene.trees)
    for (const Leaf& leaf : crown(tree, sun))
      fill_circle(light, pixel(camera, leaf.at + sun * leaf.z, 0),
                  leaf.radius / camera.metres_per_pixel, grey((shade + 0.04) * 255));
  for (const Post& post : scene.posts)
    stroke(light, {pixel(camera, post.at, 0), pixel(camera, post.at + sun * post.height, 0)},
           0.16 / camera.metres_per_pixel, grey((shade + 0.15) * 255));
  return light;
}

}  // namespace shingle
