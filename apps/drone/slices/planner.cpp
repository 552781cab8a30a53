#include "apps/drone/slices/planner.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double min_shrink = 0.5;     // enlarged more, a vehicle shows nothing new
constexpr double most_of_whole = 2.0;  // below half of the input's size a picture is no help
constexpr double finest_layer = 0.7;
constexpr double same_scale = 1.08;    // slices keep their size while the scale changes less
constexpr double min_slant = 1.02;     // less is as good as straight down
constexpr double vehicle_often = 6.0;  // as places: straight on for so short a vehicle is found

bool are_alike(double a, double b) { return a < b * same_scale && b < a * same_scale; }

}  // namespace

SlicePlanner::SlicePlanner(const SlicePlannerOptions& options)
    : options_(options), chooser_(options.full_every_seconds) {
  assert(options.metres_per_pixel > 0.0 && options.lag > 0 && options.most != 0);
}

uint64_t SlicePlanner::basis() const {
  return planned_ > options_.lag ? planned_ - options_.lag : 0;
}

bool SlicePlanner::may_plan() const { return planned_ == 0 || followed_ > basis(); }

SliceGeometry SlicePlanner::geometry_at(const PictureToPlan& picture, double shrink) const {
  return {.picture_width = picture.width,
          .picture_height = picture.height,
          .input_width = options_.input_width,
          .input_height = options_.input_height,
          .shrink = shrink};
}

// The first picture in all layers, later ones in one each.
PicturePlan SlicePlanner::search(const PictureToPlan& picture) {
  std::vector<SliceLayer> layers;
  for (double shrink = whole_shrink(geometry_at(picture, 1.0));; shrink /= 2.0) {
    const SliceGeometry geometry = geometry_at(picture, shrink);
    layers.push_back({geometry, full_cover(geometry)});
    if (shrink / 2.0 < finest_layer) break;
  }
  PicturePlan plan;
  if (planned_ == 0)
    plan.layers = std::move(layers);
  else
    plan.layers = {layers[(planned_ - 1) % layers.size()]};
  plan.full_cover = 0;
  for (const SliceLayer& each : plan.layers) plan.full_cover += each.slices.size();
  shrink_ = 0.0;
  chooser_.saw_all(picture.seconds);
  return plan;
}

void SlicePlanner::settle(const GroundScale& scale) {
  const double shrink = options_.metres_per_pixel / scale.middle;
  double slant = scale.below > 0.0 ? scale.middle / scale.below : 1.0;
  if (slant < min_slant) slant = 1.0;
  if (shrink_ > 0.0 && are_alike(shrink, shrink_) && are_alike(slant, slant_)) return;
  shrink_ = shrink;
  slant_ = slant;
}

SliceGeometry SlicePlanner::settled_geometry(const PictureToPlan& picture) const {
  SliceGeometry geometry = geometry_at(picture, shrink_);
  geometry.min_shrink = min_shrink;
  geometry.max_shrink = std::max(min_shrink, most_of_whole * whole_shrink(geometry));
  geometry.slope = shrink_ * (slant_ - 1.0) / (picture.height / 2.0);
  return geometry;
}

// `known`: null for the first picture, all of which is looked at.
PicturePlan SlicePlanner::sliced(const PictureToPlan& picture, const GroundScale& scale,
                                 const State* known) {
  settle(scale);
  const SliceGeometry geometry = settled_geometry(picture);
  std::vector<PictureSlice> all = full_cover(geometry);
  PicturePlan plan{.full_cover = all.size(), .knows_scale = true};
  if (known == nullptr || all.size() == 1) {
    plan.layers = {{geometry, std::move(all)}};
    chooser_.saw_all(picture.seconds);
    return plan;
  }
  std::vector<FollowedVehicle> vehicles;
  for (const MovingBox& each : known->vehicles)
    vehicles.push_back(
        {.box = box_at(each, picture.seconds),
         .every_seconds = each.has_velocity ? options_.full_every_seconds / vehicle_often : 0.0});
  SliceNeeds needs{.seconds = picture.seconds,
                   .vehicles = vehicles,
                   .road = known->road ? &*known->road : nullptr,
                   .most = options_.most};
  if (picture.slice_share < 1.0) {
    const double share = picture.slice_share * static_cast<double>(plan.full_cover);
    needs.most = std::min(needs.most.value_or(SIZE_MAX), static_cast<size_t>(std::ceil(share)));
  }
  SliceChoice choice = chooser_.choose(geometry, needs);
  plan.layers = {{geometry, std::move(choice.slices)}};
  plan.left_out = choice.left_out;
  return plan;
}

PicturePlan SlicePlanner::plan(const PictureToPlan& picture) {
  assert(may_plan());
  while (first_ < basis()) states_.pop_front(), ++first_;
  const State* known = planned_ == 0 ? nullptr : &states_.front();
  auto scale = picture.scale;
  if (!scale && known != nullptr && known->metres_per_pixel)
    scale = {*known->metres_per_pixel, *known->metres_per_pixel};
  PicturePlan plan = scale ? sliced(picture, *scale, known) : search(picture);
  ++planned_;
  return plan;
}

void SlicePlanner::follow(const PictureKnown& known) {
  assert(followed_ < planned_);
  forecast_.see(known.tracks, known.seconds);
  scale_.see(known.whole_vehicles, known.seconds);
  states_.push_back({.vehicles = forecast_.boxes(),
                     .metres_per_pixel = scale_.metres_per_pixel(),
                     .road = known.road});
  ++followed_;
}

}  // namespace shingle::drone
