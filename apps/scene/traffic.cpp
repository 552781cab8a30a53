#include "apps/scene/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "apps/scene/driver_model.hpp"

namespace shingle {
namespace {

void put_on_road(LaneTraffic::Driver& driver, const LaneTraffic& lane, const Road& road) {
  const double s = lane.forward_lane ? driver.s : length_of(road) - driver.s;
  driver.vehicle.pose = lane_pose(road, s, lane.lane, lane.forward_lane);
  driver.vehicle.level = road.level;
}

Vehicle new_vehicle(Scene& scene, double trucks, SceneDice& dice) {
  Vehicle vehicle;
  vehicle.id = scene.next_id++;
  vehicle.shape = draw_vehicle_shape(dice, trucks);
  return vehicle;
}

}  // namespace

void fill_lanes(Scene& scene, size_t road_index, const LaneDensity& density, SceneDice& dice) {
  const Road& road = scene.roads[road_index];
  const double length = length_of(road);
  for (int lane = 0; lane < road.lanes; ++lane)
    for (const bool forward_lane : {true, false}) {
      LaneTraffic traffic{.road = road_index, .lane = lane, .forward_lane = forward_lane};
      const double speed = dice.within(density.speed_low, density.speed_high);
      double s = length - dice.within(0.0, 8.0);
      while (s > 16.0) {  // the ring closes with room for the longest
        LaneTraffic::Driver driver{.vehicle = new_vehicle(scene, density.trucks, dice)};
        driver.s = s - driver.vehicle.shape.length / 2;
        driver.desired_speed = speed * dice.within(0.85, 1.2);
        driver.vehicle.speed = speed * dice.within(0.8, 1.0);
        s -= driver.vehicle.shape.length + dice.within(density.gap_low, density.gap_high);
        put_on_road(driver, traffic, road);
        traffic.drivers.push_back(std::move(driver));
      }
      scene.lanes.push_back(std::move(traffic));
    }
}

void drive(LaneTraffic& lane, const Road& road, double seconds, uint32_t& next_id) {
  const double length = length_of(road);
  std::vector<LaneTraffic::Driver>& drivers = lane.drivers;
  const std::vector<LaneTraffic::Driver> before = drivers;
  for (size_t i = 0; i < drivers.size(); ++i) {
    LaneTraffic::Driver& self = drivers[i];
    const LaneTraffic::Driver& leader = before[(i + before.size() - 1) % before.size()];
    double ahead = leader.s - self.s;
    if (i == 0) ahead += length;
    const double gap = ahead - (leader.vehicle.shape.length + self.vehicle.shape.length) / 2;
    double& speed = self.vehicle.speed;
    const double change =
        chosen_acceleration(speed, self.desired_speed, {.gap = gap, .speed = leader.vehicle.speed});
    speed = std::max(0.0, speed + std::max(change, -6.0) * seconds);
    self.s += speed * seconds;
  }
  while (!drivers.empty() && drivers.front().s >= length) {
    LaneTraffic::Driver over = drivers.front();
    drivers.erase(drivers.begin());
    over.s -= length;
    over.vehicle.id = next_id++;
    drivers.push_back(over);
  }
  for (LaneTraffic::Driver& driver : drivers) put_on_road(driver, lane, road);
}

bool add_parked(Scene& scene, Vehicle vehicle) {
  for (const Vehicle& other : scene.parked)
    if (collide(other, vehicle, 0.15)) return false;
  vehicle.id = scene.next_id++;
  scene.parked.push_back(std::move(vehicle));
  return true;
}

void park_along(Scene& scene, const Road& road, double share, SceneDice& dice) {
  for (const bool right : {false, true}) {
    const double width = right ? road.parking_right : road.parking_left;
    if (width <= 0) continue;
    const double d = half_width(road) + width / 2;
    for (double s = 4; s < length_of(road) - 4; s += dice.within(5.2, 6.2)) {
      if (!dice.chance(share)) continue;
      Vehicle vehicle;
      vehicle.shape = draw_vehicle_shape(dice, 0.0);
      vehicle.pose = pose_at(road, s, (right ? d : -d) + dice.within(-0.15, 0.15));
      vehicle.pose.heading += (right ? 0.0 : CV_PI) + dice.within(-0.04, 0.04);
      vehicle.level = road.level;
      add_parked(scene, vehicle);
    }
  }
}

void park_in(Scene& scene, const Lot& lot, double share, SceneDice& dice) {
  const int slots = static_cast<int>(lot.length / lot.slot);
  for (const double row : {-1.0, 1.0})
    for (int i = 0; i < slots; ++i) {
      if (!dice.chance(share)) continue;
      Vehicle vehicle;
      vehicle.shape = draw_vehicle_shape(dice, 0.0);
      const double u = (i + 0.5) * lot.slot - slots * lot.slot / 2;
      const double v = row * (lot.width / 2 - 2.6) + dice.within(-0.25, 0.25);
      vehicle.pose.at =
          place({lot.pose.at, lot.pose.heading}, 1, 1, {u + dice.within(-0.12, 0.12), v});
      vehicle.pose.heading =
          lot.pose.heading + CV_PI / 2 * (dice.chance(0.7) ? row : -row) + dice.within(-0.05, 0.05);
      add_parked(scene, vehicle);
    }
}

}  // namespace shingle
