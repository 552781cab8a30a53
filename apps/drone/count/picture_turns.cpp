#include "apps/drone/count/picture_turns.hpp"

#include <cmath>
#include <vector>

namespace shingle::drone {
namespace {

constexpr double least_spread = 20.0;  // pixels: middles are known to about one

struct Match {
  PlanePoint picture{}, key{};
};

PlanePoint middle_of(const PixelBox& box) { return {box.x + box.w / 2.0, box.y + box.h / 2.0}; }

// The similarity's turn and scale (Umeyama 1991, in the plane).
std::optional<PictureTurn> turn_of(std::span<const Match> matches) {
  if (matches.size() < 2) return std::nullopt;
  const double share = 1.0 / static_cast<double>(matches.size());
  PlanePoint picture{}, key{};
  for (const Match& match : matches) {
    picture = picture + share * match.picture;
    key = key + share * match.key;
  }
  double along = 0.0, across = 0.0, spread = 0.0;
  for (const Match& match : matches) {
    const PlanePoint a = match.picture - picture, b = match.key - key;
    along += dot(a, b);
    across += a.x * b.y - a.y * b.x;
    spread += dot(a, a);
  }
  const double length = std::hypot(along, across);
  if (std::sqrt(share * spread) < least_spread || !(length > 0.0)) return std::nullopt;
  return PictureTurn{.east = {along / length, across / length}, .scale = length / spread};
}

}  // namespace

void PictureTurns::add(std::span<const Sighting> sightings) {
  std::map<uint32_t, std::vector<Match>> by_frame;
  for (const Sighting& each : sightings)
    if (each.key) by_frame[each.frame].push_back({middle_of(each.box), *each.key});
  for (const auto& [frame, matches] : by_frame)
    if (const auto turn = turn_of(matches)) turns_.emplace(frame, *turn);
}

void PictureTurns::forget_before(uint32_t frame) {
  turns_.erase(turns_.begin(), turns_.lower_bound(frame));
}

std::optional<PictureTurn> PictureTurns::of(uint32_t frame) const {
  const auto turn = turns_.find(frame);
  return turn == turns_.end() ? std::nullopt : std::optional(turn->second);
}

}  // namespace shingle::drone
