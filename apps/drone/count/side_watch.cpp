#include "apps/drone/count/side_watch.hpp"

#include <algorithm>
#include <cmath>

namespace shingle::drone {

std::optional<LinePassage> SideWatch::see(const Point& point) {
  const double distance = signed_distance(line_, point.at);
  if (distance == 0.0) return std::nullopt;  // on the line: on neither side
  const bool is_positive = distance > 0.0;
  if (stay_.count == 0 || stay_.is_positive != is_positive)
    stay_ = {.is_positive = is_positive, .first = point};
  ++stay_.count;
  stay_.farthest = std::max(stay_.farthest, std::abs(distance));
  if (stay_.count < hold_frames_ || stay_.farthest < hold_distance_) return std::nullopt;
  std::optional<LinePassage> passage;
  if (held_ && held_->is_positive != is_positive) {
    const Point &leaves = held_->last, &arrives = stay_.first;
    if (const auto share = meeting({leaves.at, arrives.at}, line_))
      passage = {.goes_to_positive = is_positive,
                 .seconds = leaves.seconds + *share * (arrives.seconds - leaves.seconds),
                 .nearest = *share < 0.5 ? leaves.index : arrives.index};
  }
  held_ = {is_positive, point};
  return passage;
}

}  // namespace shingle::drone
