#include "apps/drone/count/point_motion.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "apps/drone/boxes/picture_border.hpp"

namespace shingle::drone {
namespace {

constexpr double standing_mps = 0.5, standing_lengths = 0.1;

double median_of(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<PlanePoint> slope_at(std::span<const Moment2D> moments, size_t index) {
  assert(index < moments.size());
  const Moment2D& centre = moments[index];
  size_t begin = index, end = index + 1;
  while (begin > 0 && centre.seconds - moments[begin - 1].seconds <= slope_seconds) --begin;
  while (end < moments.size() && moments[end].seconds - centre.seconds <= slope_seconds) ++end;
  if (end - begin < 3) return std::nullopt;
  const double share = 1.0 / static_cast<double>(end - begin);
  double mean_time = 0.0;
  PlanePoint mean{};
  for (size_t at = begin; at < end; ++at) {
    mean_time += share * (moments[at].seconds - centre.seconds);
    mean = mean + share * (moments[at].at - centre.at);
  }
  double squares = 0.0;
  PlanePoint products{};
  for (size_t at = begin; at < end; ++at) {
    const double time = moments[at].seconds - centre.seconds - mean_time;
    squares += time * time;
    products = products + time * (moments[at].at - centre.at - mean);
  }
  if (squares <= 0.0) return std::nullopt;
  return (1.0 / squares) * products;
}

std::optional<VehicleExtent> stated_extent(std::span<const Sighting* const> sightings) {
  std::vector<double> lengths, widths;
  for (const Sighting* each : sightings) {
    if (each->ground.length_metres.value) lengths.push_back(*each->ground.length_metres.value);
    if (each->ground.width_metres.value) widths.push_back(*each->ground.width_metres.value);
  }
  if (lengths.empty()) return std::nullopt;
  const double length = median_of(std::move(lengths));
  return VehicleExtent{length,
                       widths.empty() ? width_per_length * length : median_of(std::move(widths))};
}

std::optional<VehicleExtent> boxed_extent(std::span<const Sighting* const> sightings,
                                          const SitePlane& plane, const PictureSize& picture,
                                          const PictureTurns& turns) {
  std::vector<Moment2D> moments;
  std::vector<const Sighting*> seen;
  for (const Sighting* each : sightings)
    if (each->key && !touches_border(each->box, picture.width, picture.height))
      moments.push_back({each->seconds, *each->key}), seen.push_back(each);
  // A vehicle that is never seen beside another one counts as if no picture were turned.
  const bool knows_turns = std::any_of(seen.begin(), seen.end(),
                                       [&](const Sighting* each) { return turns.of(each->frame); });
  std::vector<double> moving, any;
  for (size_t index = 0; index < seen.size(); ++index) {
    const auto known = turns.of(seen[index]->frame);
    const auto units = plane.units_per_pixel(*seen[index]->key);
    if (!units || (knows_turns && !known)) continue;
    const PixelBox& box = seen[index]->box;
    const PictureTurn turn = known.value_or(PictureTurn{});
    const double scale = *units * turn.scale;
    any.push_back(scale * std::max(box.w, box.h));
    const auto slope = slope_at(moments, index);
    if (!slope || length_of(*slope) < standing_lengths * std::max(box.w, box.h)) continue;
    const PlanePoint way = turn.in_picture((1.0 / length_of(*slope)) * *slope);
    const double sides = std::abs(way.x) + std::abs(way.y);
    moving.push_back(scale * (box.w + box.h) / ((1.0 + width_per_length) * sides));
  }
  if (any.empty()) return std::nullopt;
  const double length = median_of(moving.empty() ? std::move(any) : std::move(moving));
  return VehicleExtent{length, width_per_length * length};
}

void set_motion(PathPoint& point, const std::optional<PlanePoint>& velocity, bool is_metric,
                const std::optional<VehicleExtent>& extent) {
  point.velocity = velocity;
  if (!velocity) return;
  const double speed = length_of(*velocity);
  if (is_metric && !point.speed_mps) point.speed_mps = speed;
  if (is_metric)
    point.stands = speed < standing_mps;
  else if (extent)
    point.stands = speed < standing_lengths * extent->length;
}

}  // namespace shingle::drone
