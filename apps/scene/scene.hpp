// Scene: a place seen from above, with traffic. Made from a seed: a clip (one busy street under a
// bridge, car park, trees, a drifting camera) or a still (anything the generator can think of, for
// training). Everything that moves is a function of the seed and the frame number.
#pragma once

#include <optional>
#include <string>

#include "apps/scene/road.hpp"

namespace shingle {

struct SceneOptions {
  uint64_t seed = 1;
  cv::Size size{640, 384};
  double frames_per_second = 25.0;
  double metres_per_pixel = 0.12;
  double altitude = 120.0;
  bool still = false;  // a still of its own kind instead of the clip's first frame
};

// How light, air and camera show the place.
struct SceneLook {
  cv::Point2d sun{0.5, 0.4};  // the shadow of one metre, in metres
  double shade = 0.5;         // light left in a shadow
  double contrast = 1.0, brightness = 0.0, haze = 0.0, saturation = 1.0;
  Colour cast{1.0, 1.0, 1.0};
  double blur_pixels = 0.6, noise = 2.0, sharpen = 0.0;
};

struct Patch {  // flat ground of one material
  Outline outline;
  Colour colour{};
  double roughness = 0.15;  // how much its grain shows
};

struct Building {
  Outline outline;
  double height = 9.0;
  Colour roof{}, wall{};
  std::vector<Patch> details{};  // on the roof
};

struct Tree {
  cv::Point2d at;
  double radius = 3.0, height = 7.0;
  Colour leaves{};
  uint64_t seed = 0;
};

struct Post {  // a lamp, a sign: thin, with a shadow
  cv::Point2d at;
  double height = 7.0;
  cv::Point2d arm{};  // of its top, metres
};

struct Lot {  // rows of parking slots; drawn by its lines
  Pose pose;  // of its middle; heading along the rows
  double length = 30, width = 17;
  double slot = 2.5;
  Colour surface{};
};

// One lane's vehicles, in a ring of the road's length: who leaves at the end enters at the start
// under a new identity.
struct LaneTraffic {
  size_t road = 0;
  int lane = 0;
  bool forward_lane = true;
  struct Driver {
    Vehicle vehicle;
    double s = 0.0, desired_speed = 12.0;
  };
  std::vector<Driver>
      drivers{};  // by s, falling: each follows the one before it, the first the last
};

struct Scene {
  SceneOptions options;
  SceneLook look;
  cv::Rect2d ground;  // all that a camera may see
  Colour base_a, base_b;
  double base_roughness = 0.3;
  std::vector<Patch> patches, marks;  // below and above the roads
  std::vector<Road> roads;
  std::vector<Lot> lots;
  std::vector<Building> buildings;
  std::vector<Tree> trees;
  std::vector<Post> posts;
  std::vector<Vehicle> parked;
  std::vector<LaneTraffic> lanes;
  uint32_t next_id = 1;
};

Scene make_scene(const SceneOptions& options);

// The traffic one frame later.
void advance(Scene& scene);

// All vehicles there are now, lower roads first.
std::vector<Vehicle> vehicles_of(const Scene& scene);

SceneCamera camera_at(const Scene& scene, uint32_t frame);

}  // namespace shingle
