#include "runtime/node/weights.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

constexpr int looks = 60;  // until all weights were looked at
constexpr uint32_t repairs_tried = 3;
constexpr uint32_t most_doublings = 6;  // of the pause between two attempts to pack

}  // namespace

Weights::Weights(const NodeConfig& config, const Peers& peers, Effects& effects)
    : config_(config), peers_(peers), effects_(effects) {}

void Weights::look() {
  const Time now = effects_.now();
  if (pack_at_ && now >= *pack_at_) pack();
  const Duration round = config_.limits.weights_looked_through;
  if (round <= Duration::zero() || config_.limits.compute_slots == 0 || damaged()) return;
  if (!looked_at_) looked_at_ = now;
  const Duration since = now - *looked_at_;
  if (since < round / looks) return;
  looked_at_ = now;
  effects_.act(CheckWeights{
      std::min(1.0, static_cast<double>(since.count()) / static_cast<double>(round.count()))});
}

bool Weights::damaged_by(const std::string& why) {
  if (damaged()) return false;
  packing_ = repairs_++ < repairs_tried;
  damage_ = peers_.name_of(config_.id) + " computes nothing " +
            (packing_ ? "for now" : "any more") + ": " + why;
  effects_.report(Report::Kind::weights_damaged, {}, config_.id, damage_);
  return true;
}

void Weights::repair() {
  assert(damaged());
  if (packing_) pack();
}

void Weights::pack() {
  packing_ = true;
  pack_at_.reset();
  effects_.act(PackAgain{});
}

Weights::Packed Weights::packed(const PackedAgain& event) {
  if (!packing_) return Packed::not_asked;
  assert(damaged());
  packing_ = false;
  lacks_memory_ = !event.status && event.again;
  if (event.status) {
    damage_.clear();
    pack_failures_ = 0;
    looked_at_ = effects_.now();
    effects_.report(Report::Kind::weights_packed, {}, config_.id,
                    peers_.name_of(config_.id) + " has packed its weights again");
    return Packed::sound;
  }
  pack_at_ =
      effects_.now() + config_.limits.unfit_for * (1 << std::min(pack_failures_, most_doublings));
  if (pack_failures_++ == 0) {
    damage_ += "; they cannot be packed again: " + event.status.error();
    effects_.report(Report::Kind::weights_damaged, {}, config_.id, damage_);
  }
  return Packed::still_damaged;
}

// The owner is told to ask again while packing may succeed. If a model's file has changed that is
// unlikely, though this node goes on trying to read it.
PlanReady Weights::refusal(const PlanHash& plan) const {
  assert(damaged());
  return {.plan = plan,
          .ready = false,
          .why_not = damage_,
          .lost = {},
          .again = may_be_sound_soon(),
          .damaged = !may_be_sound_soon()};
}

Answer::Kind Weights::answer_kind() const {
  assert(damaged());
  return may_be_sound_soon() ? Answer::Kind::full : Answer::Kind::unfit;
}

}  // namespace shingle
