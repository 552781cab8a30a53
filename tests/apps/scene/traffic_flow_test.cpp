// Traffic on road networks: nobody overlaps, everybody moves by his speed, and turns are taken.
#include "apps/scene/network/traffic_flow.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "apps/scene/flight/gate_truth.hpp"

namespace shingle {
namespace {

constexpr PlaceKind all_kinds[] = {PlaceKind::local, PlaceKind::rural, PlaceKind::highway,
                                   PlaceKind::roundabout};

void warm_up(TrafficFlow& flow) {
  for (int i = 0; i < 1100; ++i) flow.step(0.1);
}

TEST_CASE("No two vehicles of a network ever overlap") {
  for (const PlaceKind kind : all_kinds)
    for (const uint64_t seed : {1, 2, 3}) {
      CAPTURE(name_of(kind));
      CAPTURE(seed);
      const RoadNetwork network = make_network({.kind = kind, .reach = 170, .seed = seed});
      TrafficFlow flow(network, seed);
      int overlaps = 0;
      size_t most = 0;
      for (int step = 0; step < 3000; ++step) {
        flow.step(0.08);
        if (step % 5 != 0) continue;
        const std::vector<Vehicle> all = flow.vehicles();
        most = std::max(most, all.size());
        for (size_t i = 0; i < all.size(); ++i)
          for (size_t j = 0; j < i; ++j) {
            const cv::Point2d off = all[i].pose.at - all[j].pose.at;
            if (off.dot(off) < 200 && collide(all[i], all[j], 0.0)) ++overlaps;
          }
      }
      CHECK(overlaps == 0);
      CHECK(most >= 10);
    }
}

TEST_CASE("A vehicle moves along its heading by its speed, and no faster than its road allows") {
  for (const PlaceKind kind : all_kinds) {
    CAPTURE(name_of(kind));
    const RoadNetwork network = make_network({.kind = kind, .reach = 170, .seed = 4});
    double limit = 0.0;
    for (const RoadSegment& segment : network.segments) limit = std::max(limit, segment.limit);
    TrafficFlow flow(network, 4);
    warm_up(flow);
    std::map<uint32_t, Vehicle> before;
    for (const Vehicle& vehicle : flow.vehicles()) before[vehicle.id] = vehicle;
    flow.step(0.04);
    int compared = 0;
    for (const Vehicle& vehicle : flow.vehicles()) {
      CHECK(vehicle.speed < 1.2 * limit);
      if (!before.contains(vehicle.id) || vehicle.speed < 2.0) continue;
      const Vehicle& was = before[vehicle.id];
      const cv::Point2d way = vehicle.pose.at - was.pose.at;
      const double metres = 0.04 * (vehicle.speed + was.speed) / 2;
      CHECK(std::hypot(way.x, way.y) == doctest::Approx(metres).epsilon(0.02));
      const double off = std::remainder(std::atan2(way.y, way.x) - vehicle.pose.heading, 2 * CV_PI);
      CHECK(std::abs(off) < 0.2);
      ++compared;
    }
    CHECK(compared >= 5);
  }
}

TEST_CASE("Vehicles turn at junctions, leave the ring, and take ramps") {
  for (const PlaceKind kind : all_kinds) {
    CAPTURE(name_of(kind));
    const RoadNetwork network = make_network({.kind = kind, .reach = 150, .seed = 7});
    REQUIRE(network.gates.size() >= 3);
    TrafficFlow flow(network, 7);
    warm_up(flow);
    std::vector<GateCrossing> all;
    TrafficMoment now{0.0, flow.vehicles()};
    for (int i = 1; i <= 3000; ++i) {
      flow.step(0.1);
      TrafficMoment next{i * 0.1, flow.vehicles()};
      for (const GateCrossing& each : crossings_between(now, next, network.gates))
        all.push_back(each);
      now = std::move(next);
    }
    std::set<std::pair<size_t, size_t>> ways;
    for (const GateTurn& turn : turns_of(all)) ways.insert({turn.from, turn.to});
    // A gate that nobody passes would be a road where traffic stands.
    std::set<size_t> passed;
    for (const GateCrossing& each : all) passed.insert(each.gate);
    CHECK(passed.size() == network.gates.size());
    CHECK(all.size() > 40);
    CHECK(ways.size() >= (kind == PlaceKind::highway ? 1 : 5));
  }
}

TEST_CASE("The same seed gives the same traffic, another one another") {
  const RoadNetwork network = make_network({.kind = PlaceKind::local, .reach = 150, .seed = 2});
  const auto after = [&](uint64_t seed) {
    TrafficFlow flow(network, seed);
    warm_up(flow);
    return flow.vehicles();
  };
  const std::vector<Vehicle> once = after(5), again = after(5), other = after(6);
  REQUIRE(once.size() == again.size());
  for (size_t i = 0; i < once.size(); ++i) CHECK(once[i].pose.at == again[i].pose.at);
  CHECK((once.size() != other.size() || once[0].pose.at != other[0].pose.at));
}

TEST_CASE("Crossings are those that brute force finds between positions") {
  const RoadNetwork network =
      make_network({.kind = PlaceKind::roundabout, .reach = 150, .seed = 9});
  TrafficFlow flow(network, 9);
  warm_up(flow);
  std::vector<GateCrossing> all;
  std::map<std::pair<uint32_t, size_t>, int> sides;  // of every gate's whole line
  int brute = 0;
  TrafficMoment now{0.0, flow.vehicles()};
  const auto note_sides = [&](const std::vector<Vehicle>& vehicles, bool counts) {
    for (const Vehicle& vehicle : vehicles)
      for (size_t i = 0; i < network.gates.size(); ++i) {
        const cv::Point2d along = network.gates[i].end - network.gates[i].begin;
        const cv::Point2d off = vehicle.pose.at - network.gates[i].begin;
        const int side = along.x * off.y - along.y * off.x > 0 ? 1 : -1;
        const double share = off.dot(along) / along.dot(along);
        const auto known = sides.find({vehicle.id, i});
        // Far from the ends of a gate its line is the gate.
        if (counts && known != sides.end() && known->second != side && share > 0 && share < 1)
          ++brute;
        sides[{vehicle.id, i}] = side;
      }
  };
  note_sides(now.vehicles, false);
  for (int i = 1; i <= 1500; ++i) {
    flow.step(0.04);
    TrafficMoment next{i * 0.04, flow.vehicles()};
    for (const GateCrossing& each : crossings_between(now, next, network.gates)) {
      all.push_back(each);
      CHECK(each.seconds >= now.seconds);
      CHECK(each.seconds <= next.seconds);
    }
    note_sides(next.vehicles, true);
    now = std::move(next);
  }
  CHECK(brute > 20);
  CHECK(static_cast<int>(all.size()) == brute);
}

TEST_CASE("Forward is into the junction") {
  const GateLine gate{.name = "south", .begin = {4, 0}, .end = {-4, 0}};
  Vehicle below, above;
  below.id = above.id = 1;
  below.pose.at = {1, -1}, above.pose.at = {1, 1};
  // The gate of who drives north begins at his right.
  const auto southwards = crossings_between({0, {above}}, {1, {below}}, {gate});
  REQUIRE(southwards.size() == 1);
  CHECK_FALSE(southwards[0].is_forward);
  CHECK(southwards[0].seconds == doctest::Approx(0.5));
  const auto northwards = crossings_between({0, {below}}, {1, {above}}, {gate});
  REQUIRE(northwards.size() == 1);
  CHECK(northwards[0].is_forward);
  below.pose.at = {9, -1}, above.pose.at = {9, 1};
  CHECK(crossings_between({0, {below}}, {1, {above}}, {gate}).empty());
}

}  // namespace
}  // namespace shingle
