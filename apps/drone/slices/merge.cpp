#include "apps/drone/slices/merge.hpp"

#include <algorithm>

namespace shingle::drone {
namespace {

// Of the smaller box: so much of it in the larger one means that both show one vehicle.
constexpr double one_vehicle = 0.7, one_vehicle_cut = 0.5;

struct Placed {
  Detection detection;
  size_t slice = 0;
};

PixelBox exact(const Box& box) { return {box.x, box.y, box.w, box.h}; }

double share_of_smaller(const Box& a, const Box& b) {
  const PixelBox left = exact(a), right = exact(b);
  const double smaller = std::min(left.area(), right.area());
  return smaller > 0.0 ? common_area(left, right) / smaller : 0.0;
}

void best_scores_first(std::vector<Placed>& boxes) {
  std::ranges::stable_sort(boxes, std::ranges::greater{},
                           [](const Placed& each) { return each.detection.score; });
}

std::vector<Placed> without_repeats(std::vector<Placed> whole, float max_overlap) {
  best_scores_first(whole);
  std::vector<Placed> kept;
  for (const Placed& each : whole) {
    const bool repeated = std::ranges::any_of(kept, [&](const Placed& better) {
      const Box& a = better.detection.box;
      const Box& b = each.detection.box;
      return better.slice != each.slice &&
             (intersection_over_union(a, b) > max_overlap || share_of_smaller(a, b) > one_vehicle);
    });
    if (!repeated) kept.push_back(each);
  }
  return kept;
}

Box around(const Box& a, const Box& b) {
  const float left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  return {left, top, std::max(a.x + a.w, b.x + b.w) - left, std::max(a.y + a.h, b.y + b.h) - top};
}

// Unions of cut boxes that meet, of two slices or more.
std::vector<Placed> joined(std::vector<Placed> cut) {
  best_scores_first(cut);
  std::vector<Placed> unions;
  std::vector<bool> used(cut.size());
  for (size_t i = 0; i < cut.size(); ++i) {
    if (used[i]) continue;
    Placed all = cut[i];
    bool grew = false;
    for (size_t j = i + 1; j < cut.size(); ++j) {
      if (used[j] || cut[j].slice == cut[i].slice) continue;
      if (common_area(exact(all.detection.box), exact(cut[j].detection.box)) <= 0.0) continue;
      all.detection.box = around(all.detection.box, cut[j].detection.box);
      used[j] = grew = true;
    }
    if (grew) unions.push_back(all);
  }
  return unions;
}

}  // namespace

std::vector<Detection> merged(std::span<const SliceFinding> slices, const SliceGeometry& geometry,
                              float max_overlap) {
  std::vector<Placed> whole, cut;
  for (size_t i = 0; i < slices.size(); ++i)
    for (const Detection& each : slices[i].found)
      (is_cut(exact(each.box), slices[i].slice, geometry) ? cut : whole).push_back({each, i});
  std::vector<Placed> kept = without_repeats(std::move(whole), max_overlap);
  std::erase_if(cut, [&](const Placed& part) {
    return std::ranges::any_of(kept, [&](const Placed& better) {
      return share_of_smaller(better.detection.box, part.detection.box) > one_vehicle_cut;
    });
  });
  for (Placed& each : joined(std::move(cut))) kept.push_back(std::move(each));
  best_scores_first(kept);
  std::vector<Detection> all;
  for (const Placed& each : kept) all.push_back(each.detection);
  return all;
}

}  // namespace shingle::drone
