#include "apps/drone/pipeline/road_layer.hpp"

#include <algorithm>
#include <cmath>

#include "apps/drone/pipeline/class_choice.hpp"

namespace shingle::drone {
namespace {

constexpr int samples = 5;  // of a box, each way
constexpr double least_share = 0.2;

}  // namespace

Result<RoadLayer> RoadLayer::make(const std::vector<std::string>& names,
                                  const std::string& wanted) {
  RoadLayer layer;
  if (wanted.empty() && names.size() == 2) {
    layer.classes_ = {1};
    return layer;
  }
  auto classes = chosen_classes(names, wanted.empty() ? "road" : wanted);
  if (!classes && wanted.empty())
    return bad_input(
        "no class of the road's model is called road; choose with --road-classes, names or "
        "numbers");
  if (!classes) return classes.failure();
  layer.classes_ = std::move(*classes);
  return layer;
}

void RoadLayer::see(ClassMap mask, const PicturePlace& place) {
  mask_ = std::move(mask);
  place_ = place;
}

RoadLayer::Ground RoadLayer::at(double x, double y) const {
  const double column = std::floor(x), row = std::floor(y);
  if (!(column >= 0.0 && row >= 0.0 && column < mask_->width && row < mask_->height))
    return Ground::unseen;
  const auto place =
      static_cast<size_t>(row) * static_cast<size_t>(mask_->width) + static_cast<size_t>(column);
  const int32_t found = mask_->classes[place];
  if (found == ClassMap::unseen) return Ground::unseen;
  return std::ranges::binary_search(classes_, found) ? Ground::road : Ground::other;
}

std::optional<Homography> RoadLayer::to_mask(const PicturePlace& place) const {
  if (!mask_ || !place.to_first || !place_.to_first || place.first != place_.first)
    return std::nullopt;
  return inverse_of(*place_.to_first) * *place.to_first;
}

std::optional<RoadCells> RoadLayer::cells(const PicturePlace& place, double width,
                                          double height) const {
  const auto moved = to_mask(place);
  if (!moved || !can_move(*moved, {0.0, 0.0, width, height})) return std::nullopt;
  RoadCells cells{};
  for (int row = 0; row < cell_rows; ++row)
    for (int column = 0; column < cell_columns; ++column) {
      const Eigen::Vector3d there = *moved * Eigen::Vector3d(width * (column + 0.5) / cell_columns,
                                                             height * (row + 0.5) / cell_rows, 1.0);
      if (at(there.x() / there.z(), there.y() / there.z()) == Ground::other) continue;
      for (int y = std::max(0, row - 1); y <= std::min(row + 1, cell_rows - 1); ++y)
        for (int x = std::max(0, column - 1); x <= std::min(column + 1, cell_columns - 1); ++x)
          cells[static_cast<size_t>(y * cell_columns + x)] = true;
    }
  return cells;
}

bool RoadLayer::may_drive(const PixelBox& box, const PicturePlace& place) const {
  const auto moved = to_mask(place);
  if (!moved || !can_move(*moved, box)) return true;
  int road = 0, other = 0;
  for (int row = 0; row < samples; ++row)
    for (int column = 0; column < samples; ++column) {
      const Eigen::Vector3d point(box.x + box.w * (column + 0.5) / samples,
                                  box.y + box.h * (row + 0.5) / samples, 1.0);
      const Eigen::Vector3d there = *moved * point;
      const Ground ground = at(there.x() / there.z(), there.y() / there.z());
      road += ground == Ground::road ? 1 : 0;
      other += ground == Ground::other ? 1 : 0;
    }
  const int seen = road + other;
  return seen * 2 < samples * samples || road >= least_share * seen;
}

}  // namespace shingle::drone
