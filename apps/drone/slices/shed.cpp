#include "apps/drone/slices/shed.hpp"

#include <algorithm>

namespace shingle::drone {
namespace {

constexpr size_t overtaken_to_rise = 2;
constexpr double settle_seconds = 0.5;
constexpr double least_calm_seconds = 2.0, most_calm_seconds = 30.0;
constexpr double slice_shares[] = {0.5, 0.3, 0.16};  // decision 108
constexpr uint64_t mask_factors[] = {2, 4};

}  // namespace

ShedControl::ShedControl(const ShedChoices& choices)
    : levels_{ShedLevel{}}, calm_seconds_(least_calm_seconds) {
  const auto add = [this](const auto& change) {
    levels_.push_back(levels_.back());
    change(levels_.back());
  };
  for (const double share : slice_shares)
    if (choices.slices) add([&](ShedLevel& level) { level.slice_share = share; });
  for (const uint64_t factor : mask_factors)
    if (choices.masks) add([&](ShedLevel& level) { level.mask_factor = factor; });
  add([](ShedLevel& level) { level.newest_only = true; });
}

void ShedControl::see(double seconds, const ShedLoad& load) {
  if (load.is_overtaken || load.lost_some) {
    calm_since_ = seconds;
    if (at_ == last() || seconds - changed_ < settle_seconds) return;
    if (++overtaken_ < overtaken_to_rise) return;
    if (fell_) {
      const bool was_soon = seconds - *fell_ < 2.0 * calm_seconds_;
      calm_seconds_ =
          was_soon ? std::min(2.0 * calm_seconds_, most_calm_seconds) : least_calm_seconds;
      fell_.reset();
    }
    ++at_;
    overtaken_ = 0;
    changed_ = seconds;
  } else if (at_ > 0 && seconds - calm_since_ >= calm_seconds_) {
    --at_;
    overtaken_ = 0;
    fell_ = calm_since_ = changed_ = seconds;
  }
}

}  // namespace shingle::drone
