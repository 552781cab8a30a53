#include "apps/drone/pipeline/lookout.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "apps/drone/pipeline/found_vehicles.hpp"

namespace shingle::drone {
namespace {

constexpr double like_usual =
    1.6;  // a vehicle's side and a car's differ by less; layers differ by 2

// How much a layer shows of what a model of that scale was trained on. A layer that shows too much
// detail has many boxes too: parts of vehicles and of houses. They have other sizes.
double sure_scores(const Detections& found, const SliceGeometry& layer, double metres_per_pixel) {
  double sum = 0.0;
  for (const Detection& each : found) {
    const double metres = std::max(each.box.w, each.box.h) / layer.shrink * metres_per_pixel;
    const bool is_like_usual = metres * like_usual > usual_longer_side_metres &&
                               metres < usual_longer_side_metres * like_usual;
    if (each.score >= sure_score && is_like_usual) sum += each.score;
  }
  return sum;
}

}  // namespace

std::vector<PixelBox> whole_vehicles(std::span<const DetectedBox> found, cv::Size picture) {
  std::vector<PixelBox> whole;
  for (const auto& [box, score, class_id] : found)
    if (score >= sure_score && box.x > 1.0 && box.y > 1.0 && box.right() < picture.width - 1.0 &&
        box.bottom() < picture.height - 1.0)
      whole.push_back(box);
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
                          std::optional<double> metres_per_pixel, Looked& looked) {
  const cv::Mat& picture = arrived.picture.image;
  const double share = shed_ ? shed_->level().slice_share : 1.0;
  PicturePlan plan = planner_->plan({.seconds = seconds,
                                     .width = picture.cols,
                                     .height = picture.rows,
                                     .metres_per_pixel = metres_per_pixel,
                                     .slice_share = share});
  for (const SliceLayer& layer : plan.layers)
    for (const PictureSlice& slice : layer.slices)
      looked.cuts.push_back(cut_out(picture, slice, layer.geometry, options_.preparation.fill));
  looked.layers = std::move(plan.layers);
  counts_.computed += looked.cuts.size();
  counts_.of_full_cover += plan.full_cover;
  if (share < 1.0) left_out_.slices += plan.left_out;
}

std::vector<cv::Mat> Lookout::look_at(const ArrivedPicture& arrived, double seconds,
                                      std::optional<double> metres_per_pixel) {
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
    plan_slices(arrived, seconds, metres_per_pixel, looked);
  else
    looked.cuts = {whole_picture(arrived.picture.image, options_.preparation.fit, options_.input)};
  std::vector<cv::Mat> images;
  for (CutImage& cut : looked.cuts) images.push_back(std::move(cut.image));
  return images;
}

Finding Lookout::joined(uint64_t frame, std::vector<Finding> findings) {
  const Looked& looked = looked_.at(frame);
  assert(findings.size() == looked.cuts.size());
  std::vector<SliceFinding> found;
  for (size_t i = 0; i < findings.size(); ++i) {
    auto boxes = boxes_in(findings[i]);
    if (!boxes) return std::move(findings.front());
    for (Detection& each : *boxes) each.box = in_picture(each.box, looked.cuts[i]);
    found.push_back({.found = std::move(*boxes)});
  }
  if (looked.layers.empty()) return std::move(found.front().found);
  Detections best;
  double best_scores = -1.0;
  size_t at = 0;
  for (const SliceLayer& layer : looked.layers) {
    const std::span of_layer(found.begin() + static_cast<std::ptrdiff_t>(at), layer.slices.size());
    for (size_t i = 0; i < of_layer.size(); ++i) of_layer[i].slice = layer.slices[i];
    at += layer.slices.size();
    Detections all = merged(of_layer, layer.geometry, options_.max_overlap);
    const double scores = sure_scores(all, layer.geometry, options_.slices->metres_per_pixel);
    if (scores <= best_scores) continue;
    best_scores = scores;
    best = std::move(all);
  }
  return best;
}

void Lookout::followed(uint64_t frame, const PictureKnown& known) {
  looked_.erase(looked_.begin(), looked_.upper_bound(frame));
  unmasked_.erase(unmasked_.begin(), unmasked_.upper_bound(frame));
  if (planner_) planner_->follow(known);
}

void Lookout::add_to(Summary& summary) const {
  if (planner_) summary.slices = counts_;
  if (shed_) summary.shed = left_out_;
}

}  // namespace shingle::drone
