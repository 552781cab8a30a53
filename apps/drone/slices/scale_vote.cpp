#include "apps/drone/slices/scale_vote.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "apps/drone/slices/box_scale.hpp"

namespace shingle::drone {
namespace {

constexpr float same_place = 0.5F;  // overlap
constexpr double like_usual =
    1.6;  // a vehicle's side and a car's differ by less; layers differ by 2

double longer_side(const PixelBox& box) { return std::max(box.w, box.h); }

struct Agreement {
  std::vector<PixelBox> boxes{};
  double evidence = 0.0;
};

// Of the coarser layer's boxes, with that score at least in both.
Agreement agreement(const LayerFound& coarse, const LayerFound& fine, float score) {
  Agreement result;
  size_t all = 0;
  for (const Detection& each : coarse.found) {
    if (each.score < score) continue;
    ++all;
    const auto is_it = [&](const Detection& other) {
      return other.score >= score && intersection_over_union(other.box, each.box) >= same_place;
    };
    if (std::ranges::any_of(fine.found, is_it))
      result.boxes.push_back({each.box.x, each.box.y, each.box.w, each.box.h});
  }
  const auto agreed = static_cast<double>(result.boxes.size());
  if (all > 0) result.evidence = agreed * agreed / static_cast<double>(all);
  return result;
}

Agreement best_agreement(std::span<const LayerFound> layers, float score) {
  Agreement best;
  for (size_t i = 0; i + 1 < layers.size(); ++i) {
    Agreement of_pair = agreement(layers[i], layers[i + 1], score);
    if (of_pair.boxes.size() >= enough_vehicles && of_pair.evidence > best.evidence)
      best = std::move(of_pair);
  }
  return best;
}

// The layer at which a car of that length in the picture's pixels is as long as the model knows it.
size_t nearest_layer(std::span<const LayerFound> layers, double side, double metres_per_pixel) {
  const double wanted = std::log(side * metres_per_pixel / usual_longer_side_metres);
  const auto distance = [&](const LayerFound& each) {
    return std::abs(std::log(each.shrink) - wanted);
  };
  const auto nearest = std::ranges::min_element(layers, {}, distance);
  return static_cast<size_t>(nearest - layers.begin());
}

// How much a layer shows of what a model of that scale was trained on. A layer that shows too much
// detail has many boxes too: parts of vehicles and of houses. They have other sizes.
double shown_evidence(const LayerFound& layer, double metres_per_pixel) {
  double sum = 0.0;
  for (const Detection& each : layer.found) {
    const double metres = std::max(each.box.w, each.box.h) / layer.shrink * metres_per_pixel;
    const bool is_like_usual = metres * like_usual > usual_longer_side_metres &&
                               metres < usual_longer_side_metres * like_usual;
    if (each.score >= sure_scores.back() && is_like_usual) sum += each.score;
  }
  return sum;
}

}  // namespace

ScaleVote vote_on_scale(std::span<const LayerFound> layers, double metres_per_pixel) {
  assert(!layers.empty() && metres_per_pixel > 0.0);
  for (const float score : sure_scores) {
    Agreement best = best_agreement(layers, score);
    if (best.boxes.empty()) continue;
    const auto middle = best.boxes.begin() + static_cast<std::ptrdiff_t>(best.boxes.size() / 2);
    std::ranges::nth_element(best.boxes, middle, {}, longer_side);
    const double side = longer_side(*middle);
    return {nearest_layer(layers, side, metres_per_pixel), std::move(best.boxes)};
  }
  const auto evidence = [&](const LayerFound& each) {
    return shown_evidence(each, metres_per_pixel);
  };
  return {static_cast<size_t>(std::ranges::max_element(layers, {}, evidence) - layers.begin()), {}};
}

}  // namespace shingle::drone
