// SceneWorld: all that stands and lies around a road network, and its light. Metres, x to the east,
// y to the north, z up; the ground is flat.
#pragma once

#include "apps/scene/network/road_network.hpp"

namespace shingle {

enum class Daylight { day, dusk, night };
const char* name_of(Daylight daylight);

struct WorldLight {
  Daylight daylight = Daylight::day;
  cv::Point2d sun{};            // the shadow of one metre, in metres; none at night
  double shade = 0.5;           // light left in a shadow
  double ambient = 1.0;         // light where no lamp shines
  double haze_per_metre = 0.0;  // share of the air's own light for each metre of it
  Colour air{205, 200, 196};    // the colour of haze
  SceneLook look{};             // lens and sensor
};

// A footbridge: hides what drives below, carries no vehicles.
struct Footbridge {
  Pose middle;  // heading along it
  double length = 50.0, width = 3.0, deck_low = 5.4, deck_high = 6.6;
};

struct SceneWorld {
  uint64_t seed = 1;
  RoadNetwork network{};
  Colour base_a{}, base_b{};  // the ground's two tones
  double base_roughness = 0.3;
  std::vector<Patch> fields{};  // below the roads
  std::vector<Building> buildings{};
  std::vector<Tree> trees{};
  std::vector<Post> lamps{};
  std::vector<Footbridge> footbridges{};
  std::vector<Vehicle> parked{};
  WorldLight light{};
};

struct WorldOptions {
  PlaceKind kind = PlaceKind::local;
  Daylight daylight = Daylight::day;
  double haze = 0.0;     // share of haze in what is 100 m away
  double reach = 150.0;  // what a camera may see lies within so many metres of the middle
  uint64_t seed = 1;
};
SceneWorld make_world(const WorldOptions& options);

inline constexpr uint32_t first_parked_id = 100'000;  // above those of moving vehicles

}  // namespace shingle
