// Which slices are computed: every place in time, every vehicle in every picture, and few of them.
#include "apps/drone/slices/choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr SliceGeometry full_hd{1920, 1080, 640, 384, 1.1};
// From a camera that looks 45 degrees down.
constexpr SliceGeometry slanting{1920, 1080, 640, 384, 1.1, 0.00085, 0.5, 6.0};

bool holds(const PictureSlice& slice, const PixelBox& box) {
  return box.x >= slice.x && box.y >= slice.y && box.right() <= slice.x + slice.width &&
         box.bottom() <= slice.y + slice.height;
}

// When each of many places was last in a slice's inner part; places count for themselves, apart
// from the chooser's cells.
class Places {
 public:
  explicit Places(const SliceGeometry& geometry) : geometry_(geometry) {
    for (int y = 20; y < geometry.picture_height; y += 40)
      for (int x = 20; x < geometry.picture_width; x += 40)
        places_.push_back({{static_cast<double>(x), static_cast<double>(y), 0.0, 0.0}, 0.0});
  }
  void see(const SliceChoice& choice, double seconds) {
    for (auto& [place, seen] : places_)
      for (const PictureSlice& slice : choice.slices) {
        const PixelBox inner = inner_part(slice, geometry_);
        // Places within half a cell of the inner part's edge belong to a cell in it, or do not.
        if (place.x >= inner.x - 16 && place.x <= inner.right() + 16 && place.y >= inner.y - 16 &&
            place.y <= inner.bottom() + 16)
          seen = seconds;
      }
  }
  double oldest(double seconds) const {
    double oldest = 0.0;
    for (const auto& [place, seen] : places_) oldest = std::max(oldest, seconds - seen);
    return oldest;
  }

 private:
  SliceGeometry geometry_;
  std::vector<std::pair<PixelBox, double>> places_;
};

std::vector<FollowedVehicle> followed(const std::vector<PixelBox>& boxes, double every = 0.0) {
  std::vector<FollowedVehicle> all;
  for (const PixelBox& box : boxes) all.push_back({box, every});
  return all;
}

struct Run {
  size_t slices = 0, most_in_picture = 0, pictures = 0;
  double oldest = 0.0;
};

template <class VehiclesAt>
Run run(const SliceGeometry& geometry, double rate, double seconds, VehiclesAt vehicles_at,
        const RoadCells* road = nullptr) {
  SliceChooser chooser(1.0);
  Places places(geometry);
  chooser.saw_all(0.0);
  Run result;
  for (int frame = 1; frame < seconds * rate; ++frame) {
    const double now = frame / rate;
    const std::vector<PixelBox> vehicles = vehicles_at(now);
    const std::vector<FollowedVehicle> always = followed(vehicles);
    const SliceChoice choice =
        chooser.choose(geometry, {.seconds = now, .vehicles = always, .road = road});
    for (const PixelBox& each : vehicles)
      CHECK(std::ranges::any_of(choice.slices,
                                [&](const PictureSlice& slice) { return holds(slice, each); }));
    places.see(choice, now);
    result.oldest = std::max(result.oldest, places.oldest(now));
    result.slices += choice.slices.size();
    result.most_in_picture = std::max(result.most_in_picture, choice.slices.size());
    ++result.pictures;
  }
  return result;
}

std::vector<PixelBox> none(double) { return {}; }

}  // namespace

TEST_CASE("without vehicles every place is looked at each second, by a fraction of the slices") {
  for (const SliceGeometry& geometry : {full_hd, slanting})
    for (const double rate : {5.0, 12.5, 30.0, 60.0}) {
      CAPTURE(rate);
      CAPTURE(geometry.slope);
      const Run found = run(geometry, rate, 10.0, none);
      CHECK(found.oldest <= 1.0 + 1e-9);
      const double full = static_cast<double>(full_cover(geometry).size() * found.pictures);
      const double share = rate < 10.0 ? 1.3 : rate < 20.0 ? 0.75 : 0.4;
      CHECK(static_cast<double>(found.slices) < share * full);
    }
}

TEST_CASE("all vehicles lie in slices of each picture, and every place has its turn beside them") {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    struct Vehicle {
      double x, y, vx, vy;
    };
    Dice dice(seed);
    std::vector<Vehicle> vehicles;
    for (int i = 0; i < 12; ++i)
      vehicles.push_back(
          {dice.unit() * 1800, dice.unit() * 1000, dice.unit() * 60 - 30, dice.unit() * 60 - 30});
    const auto at = [&](double seconds) {
      std::vector<PixelBox> boxes;
      for (const Vehicle& each : vehicles)
        boxes.push_back({std::clamp(each.x + each.vx * seconds, 0.0, 1880.0),
                         std::clamp(each.y + each.vy * seconds, 0.0, 1050.0), 40, 30});
      return boxes;
    };
    for (const SliceGeometry& geometry : {full_hd, slanting})
      CHECK(run(geometry, 25.0, 4.0, at).oldest <= 1.0 + 1e-9);
  }
}

TEST_CASE("vehicles on one road take few slices") {
  RoadCells road{};
  for (int row = 16; row < 20; ++row)
    for (int column = 0; column < cell_columns; ++column)
      road[static_cast<size_t>(row * cell_columns + column)] = true;
  const auto at = [](double seconds) {
    std::vector<PixelBox> boxes;
    for (int i = 0; i < 12; ++i)
      boxes.push_back({std::fmod(i * 160 + 200 * seconds, 1880.0), 520, 40, 20});
    return boxes;
  };
  const Run found = run(full_hd, 30.0, 5.0, at, &road);
  CHECK(found.oldest <= 1.0 + 1e-9);
  const double full = static_cast<double>(full_cover(full_hd).size() * found.pictures);
  CHECK(static_cast<double>(found.slices) < 0.5 * full);
}

TEST_CASE("at most so many slices: vehicles come first, and what is left out is counted") {
  SliceChooser chooser(1.0);
  chooser.saw_all(0.0);
  const std::vector<PixelBox> vehicles{{100, 100, 40, 20}, {150, 140, 40, 20}, {1700, 900, 40, 20}};
  const std::vector<FollowedVehicle> always = followed(vehicles);
  const SliceChoice choice =
      chooser.choose(full_hd, {.seconds = 0.9, .vehicles = always, .most = 2});
  REQUIRE(choice.slices.size() == 2);
  CHECK(choice.left_out > 0);
  for (const PixelBox& each : vehicles)
    CHECK(std::ranges::any_of(choice.slices,
                              [&](const PictureSlice& slice) { return holds(slice, each); }));
}

TEST_CASE("what was left out is looked at before long") {
  SliceChooser chooser(1.0);
  chooser.saw_all(0.0);
  Places places(full_hd);
  double oldest = 0.0;
  for (int frame = 1; frame <= 300; ++frame) {
    const double now = frame / 30.0;
    places.see(chooser.choose(full_hd, {.seconds = now, .most = 1}), now);
    oldest = std::max(oldest, places.oldest(now));
  }
  // One slice a picture is less than a fifth of what is due: the border comes first, until the rest
  // is three times overdue.
  CHECK(oldest < 5.0);
}

TEST_CASE("a vehicle larger than a slice, or outside of the picture, is no obstacle") {
  SliceChooser chooser(1.0);
  chooser.saw_all(0.0);
  const std::vector<FollowedVehicle> vehicles =
      followed({{100, 100, 1500, 700}, {-500, -500, 40, 20}});
  const SliceChoice choice = chooser.choose(full_hd, {.seconds = 0.04, .vehicles = vehicles});
  CHECK(std::ranges::any_of(choice.slices, [](const PictureSlice& slice) {
    return holds(slice, {850, 450, 0, 0});
  }));
}

TEST_CASE("vehicles that are known well are looked at now and then, by few slices") {
  std::vector<PixelBox> boxes;
  for (int i = 0; i < 8; ++i)
    boxes.push_back({100.0 + 230.0 * i, i % 2 == 0 ? 200.0 : 850.0, 40, 20});
  std::map<double, size_t> slices;  // by how often
  for (const double every : {0.0, 0.1, 0.2}) {
    SliceChooser chooser(1.0);
    chooser.saw_all(0.0);
    std::vector<double> seen(boxes.size(), 0.0);
    const std::vector<FollowedVehicle> vehicles = followed(boxes, every);
    for (int frame = 1; frame <= 100; ++frame) {
      const double now = frame / 25.0;
      const SliceChoice choice = chooser.choose(full_hd, {.seconds = now, .vehicles = vehicles});
      slices[every] += choice.slices.size();
      for (size_t i = 0; i < boxes.size(); ++i) {
        if (std::ranges::any_of(choice.slices,
                                [&](const PictureSlice& slice) { return holds(slice, boxes[i]); }))
          seen[i] = now;
        CHECK(now - seen[i] <= std::max(every, 1e-9));
      }
    }
  }
  CHECK(5 * slices[0.1] < 4 * slices[0.0]);
  CHECK(6 * slices[0.2] < 5 * slices[0.1]);
}

TEST_CASE("with few slices each vehicle has its turn, also one that is far from all others") {
  SliceChooser chooser(1.0);
  chooser.saw_all(0.0);
  std::vector<PixelBox> boxes{{1700, 900, 40, 20}};
  for (int i = 0; i < 20; ++i) boxes.push_back({100.0 + 20.0 * i, 100.0 + 8.0 * i, 18, 9});
  const std::vector<FollowedVehicle> vehicles = followed(boxes, 0.1);
  double last = 0.0;
  size_t looks = 0;
  for (int frame = 1; frame <= 250; ++frame) {
    const double now = frame / 25.0;
    const SliceChoice choice =
        chooser.choose(full_hd, {.seconds = now, .vehicles = vehicles, .most = 1});
    REQUIRE(choice.slices.size() == 1);
    if (!holds(choice.slices.front(), boxes.front())) continue;
    CHECK(now - last <= 1.0);
    last = now;
    ++looks;
  }
  CHECK(looks > 10);
  CHECK(looks < 125);
}

TEST_CASE("the same pictures are given the same slices") {
  const auto chosen = [] {
    SliceChooser chooser(1.0);
    chooser.saw_all(0.0);
    std::vector<PictureSlice> all;
    for (int frame = 1; frame < 60; ++frame) {
      const std::vector<FollowedVehicle> vehicles = followed({{frame * 20.0, 300, 40, 20}});
      for (const PictureSlice& each :
           chooser.choose(full_hd, {.seconds = frame / 30.0, .vehicles = vehicles}).slices)
        all.push_back(each);
    }
    return all;
  };
  CHECK(chosen() == chosen());
}
