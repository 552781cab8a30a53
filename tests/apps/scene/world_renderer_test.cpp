// Pictures of worlds: things are where the camera shows them, and truth says what is seen.
#include "apps/scene/render/world_renderer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/scene/flight/scene_clip.hpp"
#include "apps/scene/places.hpp"

namespace shingle {
namespace {

// A bare plain under an even light and a perfect lens.
SceneWorld plain_world() {
  SceneWorld world{.base_a = grey(40), .base_b = grey(40), .base_roughness = 0.0};
  world.light.shade = 1.0;
  world.light.look.blur_pixels = world.light.look.noise = 0.0;
  return world;
}

Vehicle car_at(cv::Point2d at, double heading, uint32_t id) {
  SceneDice dice(id);
  Vehicle vehicle;
  vehicle.id = id, vehicle.pose = {at, heading};
  vehicle.shape = draw_vehicle_shape(dice, 0.0);
  vehicle.shape.body = vehicle.shape.roof = grey(235);
  return vehicle;
}

SceneView view_at_pitch(double pitch, double altitude = 60) {
  return SceneFlight({.size = {960, 540},
                      .altitude = altitude,
                      .pitch_degrees = pitch,
                      .yaw_degrees = 25,
                      .seed = 4})
      .view_at(1.0);
}

const SeenVehicle* seen_with(const WorldPicture& picture, size_t index) {
  for (const SeenVehicle& each : picture.vehicles)
    if (each.index == index) return &each;
  return nullptr;
}

// The middle of what is brighter than the ground in the box of this half size.
cv::Point2d bright_middle(const cv::Mat& picture, cv::Point2d about, int half) {
  cv::Mat grey_picture;
  cv::cvtColor(picture, grey_picture, cv::COLOR_BGR2GRAY);
  cv::Point2d sum{};
  double all = 0.0;
  for (int y = static_cast<int>(about.y) - half; y <= static_cast<int>(about.y) + half; ++y)
    for (int x = static_cast<int>(about.x) - half; x <= static_cast<int>(about.x) + half; ++x) {
      const double light = std::max(0, grey_picture.at<uchar>(y, x) - 45);
      sum += cv::Point2d(x + 0.5, y + 0.5) * light;
      all += light;
    }
  return all > 0 ? sum / all : cv::Point2d{};
}

TEST_CASE("A mark on the ground is drawn where its true place is projected") {
  for (const double pitch : {90.0, 60.0, 32.0}) {
    CAPTURE(pitch);
    const SceneView view = view_at_pitch(pitch);
    SceneWorld world = plain_world();
    std::vector<cv::Point2d> places;
    for (const cv::Point2d seen :
         {cv::Point2d(480, 270), cv::Point2d(150, 430), cv::Point2d(800, 120)}) {
      const cv::Vec3d at = ground_homography(view).inv() * cv::Vec3d(seen.x, seen.y, 1);
      places.push_back({at[0] / at[2], at[1] / at[2]});
      world.network.drawing.marks.push_back(
          {.outline = rectangle({places.back(), 0}, 0.8, 0.8), .colour = grey(250)});
    }
    const WorldPicture picture = WorldRenderer(world).render(view, {}, 0);
    for (const cv::Point2d& place : places) {
      const cv::Point2d wanted = pixel(view, place, 0);
      const cv::Point2d found = bright_middle(picture.picture, wanted, 12);
      CHECK(std::abs(found.x - wanted.x) < 0.5);
      CHECK(std::abs(found.y - wanted.y) < 0.5);
    }
  }
}

TEST_CASE("A vehicle's box is where the picture changes when the vehicle comes") {
  for (const double pitch : {90.0, 60.0, 35.0}) {
    CAPTURE(pitch);
    const SceneView view = view_at_pitch(pitch);
    const SceneWorld world = plain_world();
    WorldRenderer renderer(world);
    const cv::Mat empty = renderer.render(view, {}, 0).picture;
    for (const double heading : {0.0, 0.7, 2.2}) {
      CAPTURE(heading);
      const WorldPicture picture = renderer.render(view, {car_at({3, -2}, heading, 7)}, 0);
      const SeenVehicle* seen = seen_with(picture, 0);
      REQUIRE(seen != nullptr);
      CHECK(seen->visible > 0.98);
      cv::Mat changed;
      cv::absdiff(picture.picture, empty, changed);
      cv::cvtColor(changed, changed, cv::COLOR_BGR2GRAY);
      const cv::Rect around = cv::boundingRect(changed > 3);
      // Whole pixels around an edge that lies between them; a sharp corner changes its first pixel
      // by little.
      CHECK(std::abs(around.x + 0.5 - seen->box.x) <= 1.5);
      CHECK(std::abs(around.y + 0.5 - seen->box.y) <= 1.5);
      CHECK(std::abs(around.br().x - 0.5 - seen->box.x - seen->box.w) <= 1.5);
      CHECK(std::abs(around.br().y - 0.5 - seen->box.y - seen->box.h) <= 1.5);
    }
  }
}

TEST_CASE("What stands before a vehicle hides it, what stands behind does not") {
  const SceneView view = view_at_pitch(40);
  // The camera looks along 25 degrees from north.
  const double yaw = 25 * CV_PI / 180;
  const cv::Point2d ahead{std::sin(yaw), std::cos(yaw)};
  SceneWorld world = plain_world();
  world.buildings.push_back({.outline = rectangle({{0, 0}, CV_PI / 2 - yaw}, 3, 30),
                             .height = 9,
                             .roof = grey(120),
                             .wall = grey(90)});
  const std::vector<Vehicle> vehicles{car_at(ahead * 6, CV_PI / 2 - yaw, 1),
                                      car_at(ahead * -6, CV_PI / 2 - yaw, 2)};
  const WorldPicture picture = WorldRenderer(world).render(view, vehicles, 0);
  REQUIRE(seen_with(picture, 0) != nullptr);
  REQUIRE(seen_with(picture, 1) != nullptr);
  CHECK(seen_with(picture, 0)->visible < 0.3);
  CHECK(seen_with(picture, 1)->visible > 0.98);
}

TEST_CASE("A vehicle cut by the picture's border shows the share that is inside") {
  const SceneView view = view_at_pitch(90);
  const cv::Vec3d edge = ground_homography(view).inv() * cv::Vec3d(0, 270, 1);
  const WorldPicture picture =
      WorldRenderer(plain_world())
          .render(view, {car_at({edge[0] / edge[2], edge[1] / edge[2]}, 0, 3)}, 0);
  REQUIRE(picture.vehicles.size() == 1);
  // Its roof leans outwards.
  CHECK(picture.vehicles[0].visible > 0.2);
  CHECK(picture.vehicles[0].visible < 0.55);
  CHECK(picture.vehicles[0].box.x == 0.0F);
}

TEST_CASE("The same frame is the same picture, whatever was rendered before") {
  SceneClip clip{.kind = PlaceKind::local};
  clip.flight = {.size = {480, 270},
                 .altitude = 60,
                 .pitch_degrees = 50,
                 .path = FlownPath::straight,
                 .speed = 12,
                 .frames = 60,
                 .seed = 8};
  ClipScene scene(clip);
  WorldRenderer used(scene.world());
  for (uint32_t frame = 0; frame < 59; ++frame) {
    if (frame % 20 == 0)
      used.render(scene.flight().view_at(scene.seconds()), scene.vehicles(), frame);
    scene.advance();
  }
  const SceneView view = scene.flight().view_at(scene.seconds());
  const WorldPicture after = used.render(view, scene.vehicles(), 59);
  const WorldPicture fresh = WorldRenderer(scene.world()).render(view, scene.vehicles(), 59);
  CHECK(cv::norm(after.picture, fresh.picture, cv::NORM_INF) == 0.0);
  CHECK(cv::norm(after.road, fresh.road, cv::NORM_INF) == 0.0);
  REQUIRE(after.vehicles.size() == fresh.vehicles.size());
}

TEST_CASE("The road's mask is under every vehicle that drives, in every kind of place and light") {
  for (const char* name :
       {"local-80-60deg", "rural-80-dusk", "highway-100-45deg-night", "roundabout-60-haze"}) {
    CAPTURE(name);
    SceneClip clip = clip_named(name, 5).value();
    clip.flight.size = {640, 360};
    ClipScene scene(clip);
    const SceneView view = scene.flight().view_at(0);
    const std::vector<Vehicle> vehicles = scene.vehicles();
    const WorldPicture picture = WorldRenderer(scene.world()).render(view, vehicles, 0);
    int driving = 0;
    for (const SeenVehicle& seen : picture.vehicles) {
      const Vehicle& vehicle = vehicles[seen.index];
      const cv::Point2d at = pixel(view, vehicle.pose.at, 0);
      if (vehicle.id >= first_parked_id || !cv::Rect(0, 0, 640, 360).contains(cv::Point(at)))
        continue;
      CHECK(picture.road.at<uchar>(cv::Point(at)) == 255);
      ++driving;
    }
    CHECK(driving >= 1);
    const double road = cv::countNonZero(picture.road) / (640.0 * 360.0);
    CHECK(road > 0.02);
    CHECK(road < 0.7);
  }
}

TEST_CASE("Night is darker than dusk, dusk than day; haze pales what is far away") {
  const auto light_of = [](const char* name) {
    SceneClip clip = clip_named(name, 6).value();
    clip.flight.size = {320, 180};
    const ClipScene scene(clip);
    return WorldRenderer(scene.world())
        .render(scene.flight().view_at(0), scene.vehicles(), 0)
        .picture;
  };
  const double day = cv::mean(light_of("local-100"))[1],
               dusk = cv::mean(light_of("local-100-dusk"))[1],
               night = cv::mean(light_of("local-100-night"))[1];
  CHECK(night < 0.6 * dusk);
  CHECK(dusk < 0.85 * day);
  cv::Scalar middle, clear, far, near;
  const cv::Mat hazy = light_of("rural-100-35deg-haze"), plain = light_of("rural-100-35deg");
  cv::meanStdDev(hazy.rowRange(0, 40), middle, far);
  cv::meanStdDev(plain.rowRange(0, 40), middle, clear);
  CHECK(far[1] < 0.75 * clear[1]);
  cv::meanStdDev(hazy.rowRange(140, 180), middle, near);
  cv::meanStdDev(plain.rowRange(140, 180), middle, clear);
  CHECK(near[1] > 0.35 * clear[1]);
}

}  // namespace
}  // namespace shingle
