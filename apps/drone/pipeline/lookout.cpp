#include "apps/drone/pipeline/lookout.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "apps/drone/pipeline/found_vehicles.hpp"
#include "apps/drone/slices/scale_vote.hpp"

namespace shingle::drone {
namespace {

bool is_inside(const PixelBox& box, double width, double height) {
  return box.x > 1.0 && box.y > 1.0 && box.right() < width - 1.0 && box.bottom() < height - 1.0;
}

}  // namespace

std::vector<PixelBox> whole_vehicles(std::span<const DetectedBox> found, cv::Size picture) {
  std::vector<PixelBox> whole;
  for (const float wanted : sure_scores) {
    whole.clear();
    for (const auto& [box, score, class_id] : found)
      if (score >= wanted && is_inside(box, picture.width, picture.height)) whole.push_back(box);
    if (whole.size() >= enough_vehicles) break;
  }
  return whole;
}

Lookout::Lookout(const LookoutOptions& options) : options_(options) {
  if (options_.slices) planner_.emplace(*options_.slices);
  if (options_.sheds)
    shed_.emplace(ShedChoices{.slices = options_.slices.has_value(),
                              .masks = options_.mask_every.has_value()});
}

bool Lookout::wants_mask(uint64_t frame) const {
  if (!options_.mask_every || frame % *options_.mask_every != 0) return false;
  const uint64_t factor = shed_ ? shed_->level().mask_factor : 1;
  return !last_mask_ || frame - *last_mask_ >= *options_.mask_every * factor;
}

bool Lookout::is_left_out(const ArrivedPicture& arrived, double seconds) {
  if (!shed_) return false;
  const bool lost_some = arrived.dropped > std::exchange(dropped_, arrived.dropped);
  shed_->see(seconds + arrived.waited_seconds,
             {.is_overtaken = arrived.is_overtaken, .lost_some = lost_some});
  left_out_.highest_level = std::max(left_out_.highest_level, shed_->number());
  const bool leaves_out = shed_->level().newest_only && arrived.is_overtaken;
  left_out_.pictures += leaves_out ? 1 : 0;
  return leaves_out;
}

void Lookout::plan_slices(const ArrivedPicture& arrived, double seconds,
                          const std::optional<GroundScale>& scale, Looked& looked) {
  const cv::Mat& picture = arrived.picture.image;
  const double share = shed_ ? shed_->level().slice_share : 1.0;
  PicturePlan plan = planner_->plan({.seconds = seconds,
                                     .width = picture.cols,
                                     .height = picture.rows,
                                     .scale = scale,
                                     .slice_share = share});
  for (const SliceLayer& layer : plan.layers)
    for (const PictureSlice& slice : layer.slices)
      looked.cuts.push_back(cut_out(picture, slice, layer.geometry, options_.preparation.fill));
  looked.layers = std::move(plan.layers);
  looked.knows_scale = plan.knows_scale;
  counts_.computed += looked.cuts.size();
  counts_.of_full_cover += plan.full_cover;
  if (share < 1.0) left_out_.slices += plan.left_out;
}

std::vector<cv::Mat> Lookout::look_at(const ArrivedPicture& arrived, double seconds,
                                      const std::optional<GroundScale>& scale) {
  assert(may_begin());
  const bool has_mask = wants_mask(arrived.frame);
  if (is_left_out(arrived, seconds)) return {};
  if (has_mask) {
    last_mask_ = arrived.frame;
  } else if (options_.mask_every && arrived.frame % *options_.mask_every == 0) {
    unmasked_.insert(arrived.frame);
    ++left_out_.masks;
  }
  Looked& looked = looked_[arrived.frame];
  if (planner_)
    plan_slices(arrived, seconds, scale, looked);
  else
    looked.cuts = {whole_picture(arrived.picture.image, options_.preparation.fit, options_.input)};
  std::vector<cv::Mat> images;
  for (CutImage& cut : looked.cuts) images.push_back(std::move(cut.image));
  return images;
}

bool Lookout::is_too_short(uint64_t frame, const PixelBox& box) const {
  const auto looked = looked_.find(frame);
  if (looked == looked_.end() || !looked->second.knows_scale) return false;
  const SliceGeometry& geometry = looked->second.layers.front().geometry;
  const bool looks_down = geometry.slope == 0.0;
  if (!looks_down || !is_inside(box, geometry.picture_width, geometry.picture_height)) return false;
  // Not shrink_at(): its bounds would hide how coarse the picture is.
  const double seen_by_model = std::max(box.w, box.h) / geometry.shrink;
  return seen_by_model * options_.slices->metres_per_pixel < options_.min_length;
}

Finding Lookout::joined(uint64_t frame, std::vector<Finding> findings) {
  Looked& looked = looked_.at(frame);
  assert(findings.size() == looked.cuts.size());
  std::vector<SliceFinding> found;
  for (size_t i = 0; i < findings.size(); ++i) {
    auto boxes = boxes_in(findings[i]);
    if (!boxes) return std::move(findings.front());
    for (Detection& each : *boxes) each.box = in_picture(each.box, looked.cuts[i]);
    found.push_back({.found = std::move(*boxes)});
  }
  if (looked.layers.empty()) return std::move(found.front().found);
  return best_layer(looked, found);
}

// What the layer found that shows most.
Detections Lookout::best_layer(Looked& looked, std::span<SliceFinding> found) const {
  std::vector<LayerFound> all;
  for (const SliceLayer& layer : looked.layers) {
    const auto of_layer = found.first(layer.slices.size());
    for (size_t i = 0; i < of_layer.size(); ++i) of_layer[i].slice = layer.slices[i];
    found = found.subspan(of_layer.size());
    all.push_back({layer.geometry.shrink, merged(of_layer, layer.geometry, options_.max_overlap)});
  }
  ScaleVote vote = vote_on_scale(all, options_.slices->metres_per_pixel);
  const SliceGeometry& geometry = looked.layers.front().geometry;
  std::erase_if(vote.vehicles, [&](const PixelBox& box) {
    return !is_inside(box, geometry.picture_width, geometry.picture_height);
  });
  looked.agreed = std::move(vote.vehicles);
  return std::move(all[vote.layer].found);
}

std::optional<std::vector<PixelBox>> Lookout::looked_parts(uint64_t frame) const {
  const auto looked = looked_.find(frame);
  if (looked == looked_.end()) return std::vector<PixelBox>{};  // it was left out
  if (looked->second.layers.empty()) return std::nullopt;
  std::vector<PixelBox> parts;
  for (const SliceLayer& layer : looked->second.layers)
    for (const PictureSlice& slice : layer.slices)
      parts.push_back(inner_part(slice, layer.geometry));
  return parts;
}

void Lookout::followed(uint64_t frame, const PictureKnown& known) {
  PictureKnown told = known;
  const auto looked = looked_.find(frame);
  std::vector<PixelBox> agreed;
  if (looked != looked_.end()) agreed = std::move(looked->second.agreed);
  if (!agreed.empty()) told.whole_vehicles = agreed;
  looked_.erase(looked_.begin(), looked_.upper_bound(frame));
  unmasked_.erase(unmasked_.begin(), unmasked_.upper_bound(frame));
  if (planner_) planner_->follow(told);
}

void Lookout::add_to(Summary& summary) const {
  if (planner_) summary.slices = counts_;
  if (shed_) summary.shed = left_out_;
}

}  // namespace shingle::drone
