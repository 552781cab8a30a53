#include "apps/scene/render/standing.hpp"

#include <algorithm>

#include "apps/scene/overhead.hpp"
#include "apps/scene/places.hpp"
#include "apps/scene/prism.hpp"

namespace shingle {
namespace {

// Metres before the camera. What comes nearer is left out; what is drawn may stand out from the
// prism around it by less.
constexpr double nearest = 2.5;

bool is_before_camera(const SceneView& view, const Prism& around) {
  const auto is_ahead = [&](const Outline& corners, double z) {
    return std::all_of(corners.begin(), corners.end(),
                       [&](cv::Point2d corner) { return depth_of(view, corner, z) > nearest; });
  };
  return is_ahead(around.low, 0) && is_ahead(around.low, around.z_high) &&
         is_ahead(around.high, around.z_high);
}

bool is_in_picture(const SceneView& view, const Box& box) {
  return box.x < static_cast<float>(view.size.width) && box.x + box.w > 0 &&
         box.y < static_cast<float>(view.size.height) && box.y + box.h > 0;
}

// Appends unless nothing of it is in the picture.
void add(std::vector<Standing>& all, const SceneView& view, const Prism& around,
         std::function<void(StandingCanvas&)> draw) {
  if (!is_before_camera(view, around)) return;
  const Box seen = bounds(silhouette(view, around));
  if (!is_in_picture(view, seen)) return;
  all.push_back({{.footprint = around.low, .foot = around.z_low, .seen = seen}, std::move(draw)});
}

Outline disc(cv::Point2d at, double radius) {
  Outline outline;
  for (int i = 0; i < 8; ++i) outline.push_back(at + forward(CV_PI / 4 * i) * radius);
  return outline;
}

void draw_footbridge(StandingCanvas& canvas, const Prism& deck, const BodyLight& light) {
  draw_sides(canvas.image, canvas.view, deck,
             {.colour = grey(120), .light = light.light, .to_sun = light.to_sun});
  fill(canvas.image, pixels(canvas.view, deck.high, deck.z_high), grey(150 * light.light));
  Outline walk;  // inside the parapets
  for (size_t i = 0; i < 4; ++i) walk.push_back(deck.high[i] * 0.82 + deck.high[3 - i] * 0.18);
  fill(canvas.image, pixels(canvas.view, walk, deck.z_high), grey(178 * light.light));
  fill(canvas.ids, silhouette(canvas.view, deck), grey(0));
}

}  // namespace

void add_building(std::vector<Standing>& all, const SceneView& view, const Building& building,
                  cv::Point2d to_sun) {
  add(all, view, {building.outline, building.outline, 0, building.height},
      [&building, to_sun](StandingCanvas& canvas) {
        draw_building(canvas.image, canvas.ids, canvas.view, building, to_sun);
      });
}

void add_tree(std::vector<Standing>& all, const SceneView& view, const Tree& tree,
              cv::Point2d sun) {
  const Outline crown = disc(tree.at, tree.radius * 1.2);
  add(all, view, {crown, crown, tree.height * 0.3, tree.height * 1.1},
      [&tree, sun](StandingCanvas& canvas) {
        const double width = 0.35 * pixels_per_metre(canvas.view, tree.at, 0);
        stroke(canvas.image,
               {pixel(canvas.view, tree.at, 0), pixel(canvas.view, tree.at, tree.height * 0.6)},
               width, shaded({40, 55, 70}, tree.leaves[1] / 92.0));
        draw_tree(canvas.image, canvas.ids, canvas.view, tree, sun);
      });
}

void add_lamp(std::vector<Standing>& all, const SceneView& view, const Post& lamp, double light) {
  const Outline foot = disc(lamp.at, 0.15);
  const Outline head = disc(lamp.at + lamp.arm, 0.3);
  add(all, view, {foot, head, 0, lamp.height}, [&lamp, light](StandingCanvas& canvas) {
    draw_post(canvas.image, canvas.view, lamp);
    if (light > 1.0)  // it shines
      fill_circle(canvas.image, pixel(canvas.view, lamp.at + lamp.arm, lamp.height),
                  0.35 * pixels_per_metre(canvas.view, lamp.at, lamp.height), {200, 235, 255});
  });
}

void add_footbridge(std::vector<Standing>& all, const SceneView& view, const Footbridge& bridge,
                    const BodyLight& light) {
  const Outline outline = rectangle(bridge.middle, bridge.length, bridge.width);
  const Prism deck{outline, outline, bridge.deck_low, bridge.deck_high};
  add(all, view, deck,
      [deck, light](StandingCanvas& canvas) { draw_footbridge(canvas, deck, light); });
}

void add_vehicle(std::vector<Standing>& all, const SceneView& view, const Vehicle& vehicle,
                 const BodyLight& light, uint16_t id) {
  const Outline outline = rectangle(vehicle.pose, vehicle.shape.length, vehicle.shape.width);
  add(all, view, {outline, outline, vehicle.level, vehicle.level + vehicle.shape.height},
      [&vehicle, light, id](StandingCanvas& canvas) {
        draw(canvas.image, canvas.view, vehicle, light);
        fill(canvas.ids, silhouette(canvas.view, vehicle), grey(id));
      });
}

}  // namespace shingle
