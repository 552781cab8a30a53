// The traffic of a scene: who drives where, and how drivers follow each other.
#pragma once

#include "apps/scene/scene.hpp"

namespace shingle {

struct LaneDensity {
  double gap_low = 4, gap_high = 30;      // metres between bumpers
  double speed_low = 8, speed_high = 14;  // metres per second
  double trucks = 0.08;
};

// Fills every lane of the road.
void fill_lanes(Scene& scene, size_t road, const LaneDensity& density, SceneDice& dice);

// One step of the intelligent driver model (Treiber, Hennecke, Helbing 2000).
void drive(LaneTraffic& lane, const Road& road, double seconds, uint32_t& next_id);

// Cars along the kerb and in the slots of a lot; `share` of the places is taken. None where it
// would meet one that is there.
void park_along(Scene& scene, const Road& road, double share, SceneDice& dice);
void park_in(Scene& scene, const Lot& lot, double share, SceneDice& dice);

bool add_parked(Scene& scene, Vehicle vehicle);  // false when there is no room

}  // namespace shingle
