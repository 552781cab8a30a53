#include "apps/scene/overhead.hpp"

#include <algorithm>
#include <cmath>

#include "apps/scene/ground.hpp"
#include "apps/scene/prism.hpp"

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

void extrude(cv::Mat& image, cv::Mat& hidden, const SceneView& view, const Building& building,
             cv::Point2d to_sun) {
  const Prism walls{building.outline, building.outline, 0, building.height};
  draw_sides(image, view, walls, {.colour = shaded(building.wall, 0.7), .to_sun = to_sun});
  fill(image, pixels(view, building.outline, building.height), building.roof);
  if (!hidden.empty()) fill(hidden, silhouette(view, walls), grey(0));
}

void cast(cv::Mat& light, const SceneCamera& camera, const Outline& outline, double height,
          cv::Point2d sun, double shade) {
  Outline reach = pixels(camera, outline, 0);
  for (const cv::Point2d& point : outline) reach.push_back(pixel(camera, point + sun * height, 0));
  fill(light, hull(reach), grey(shade * 255));
}

}  // namespace

void draw_tree(cv::Mat& image, cv::Mat& hidden, const SceneView& view, const Tree& tree,
               cv::Point2d sun) {
  const double scale = pixels_per_metre(view, tree.at, tree.height);
  // Small crowns need fewer leaves, each larger.
  const double crown_pixels = scale * tree.radius;
  const size_t step = crown_pixels > 40 ? 1 : crown_pixels > 16 ? 2 : 4;
  const double larger = std::sqrt(static_cast<double>(step));
  const std::vector<Leaf> leaves = crown(tree, sun);
  for (size_t i = 0; i < leaves.size(); i += step) {
    const Leaf& leaf = leaves[i];
    const cv::Point2d at = pixel(view, leaf.at, leaf.z);
    const double radius = leaf.radius * larger * pixels_per_metre(view, leaf.at, leaf.z);
    fill_circle(image, at, radius, shaded(tree.leaves, leaf.light));
    if (!hidden.empty()) fill_circle(hidden, at, radius, grey(0));
  }
}

void draw_building(cv::Mat& image, cv::Mat& hidden, const SceneView& view, const Building& building,
                   cv::Point2d to_sun) {
  extrude(image, hidden, view, building, to_sun);
  for (const Patch& detail : building.details)
    fill(image, pixels(view, detail.outline, building.height), detail.colour);
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

void draw_post(cv::Mat& image, const SceneView& view, const Post& post) {
  const double width = std::max(1.0, 0.14 * pixels_per_metre(view, post.at, 0));
  const cv::Point2d foot = pixel(view, post.at, 0), top = pixel(view, post.at, post.height);
  stroke(image, {foot, top, pixel(view, post.at + post.arm, post.height)}, width, grey(170));
}

void shade_tree(cv::Mat& light, const SceneView& view, const Tree& tree, cv::Point2d sun,
                double shade) {
  for (const Leaf& leaf : crown(tree, sun)) {
    const cv::Point2d below = leaf.at + sun * leaf.z;
    fill_circle(light, pixel(view, below, 0), leaf.radius * pixels_per_metre(view, below, 0),
                grey((shade + 0.04) * 255));
  }
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
  const SceneView view = view_of(camera);
  for (const Tree& tree : scene.trees) shade_tree(light, view, tree, sun, shade);
  for (const Post& post : scene.posts)
    stroke(light, {pixel(camera, post.at, 0), pixel(camera, post.at + sun * post.height, 0)},
           0.16 / camera.metres_per_pixel, grey((shade + 0.15) * 255));
  return light;
}

}  // namespace shingle
