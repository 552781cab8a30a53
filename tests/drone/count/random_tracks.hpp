// Tracks and sites that are drawn from a seed.
#pragma once

#include <cmath>

#include "partition/base/dice.hpp"
#include "tests/drone/count/drives.hpp"

namespace shingle::drone {

inline double within(Dice& dice, double least, double most) {
  return least + dice.unit() * (most - least);
}

inline PlanePoint somewhere(Dice& dice) { return {within(dice, -20, 420), within(dice, -20, 420)}; }

// Noisy ways of a few legs, with gaps.
inline std::vector<Sighting> random_tracks(Dice& dice) {
  std::vector<Sighting> all;
  const auto tracks = static_cast<int64_t>(3 + dice.below(10));
  for (int64_t track = 1; track <= tracks; ++track) {
    double now = std::round(within(dice, 0.0, 5.0) * 25.0) / 25.0;
    PlanePoint here = somewhere(dice);
    for (size_t leg = 0, legs = 1 + dice.below(4); leg < legs; ++leg) {
      const PlanePoint next = somewhere(dice);
      const double lasts = std::round(within(dice, 0.4, 4.0) * 25.0) / 25.0;
      for (Sighting each : drive(track, {here, next, now, now + lasts}, track % 2 == 0 ? 2 : 5)) {
        each.key = *each.key + PlanePoint{within(dice, -4, 4), within(dice, -4, 4)};
        if (dice.below(10) > 0) all.push_back(each);
      }
      now += lasts + (dice.below(3) == 0 ? 0.6 : 0.04);
      here = next;
    }
  }
  return all;
}

inline Site random_site(Dice& dice) {
  Site site{.file = "site.toml"};
  for (const char* name : {"a", "b", "c"})
    site.lines.push_back({.name = name, .segment = {somewhere(dice), somewhere(dice)}});
  const PlanePoint corner = somewhere(dice);
  site.zones = {{.name = "z",
                 .corners = rectangle(corner, corner + PlanePoint{90, 120}),
                 .is_conflict_area = true},
                {.name = "y", .corners = rectangle({0, 0}, {200, 150})}};
  site.lanes = {
      {.name = "l", .corners = rectangle({0, 200}, {400, 300}), .direction = {{0, 0}, {1, 0}}}};
  return site;
}

}  // namespace shingle::drone
