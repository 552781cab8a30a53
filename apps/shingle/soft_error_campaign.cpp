#include "apps/shingle/soft_error_campaign.hpp"

#include <cassert>

#include "partition/base/dice.hpp"

namespace shingle {
namespace {

constexpr std::array<int, 3> lowest_bit{31, 23, 0};

// The same for the same seed, site and turn, whatever else is drawn.
Flip drawn(const FlipSite& site, BitKind kind, uint64_t seed) {
  Dice dice(seed);
  const auto of = static_cast<size_t>(kind);
  const auto word = static_cast<int64_t>(dice.below(static_cast<size_t>(site.words)));
  const auto bit = static_cast<int>(dice.below(static_cast<size_t>(bits_of_kind[of])));
  return {.place = site.place, .layer = site.layer, .word = word, .bit = lowest_bit[of] + bit};
}

void count(const FlipOutcome& outcome, Effect effect, FlipCounts& counts) {
  ++counts.flips;
  counts.by_checksum += outcome.found_by_checksum ? 1 : 0;
  if (!outcome.other_outputs) {
    ++counts.masked;
  } else if (effect == Effect::other_bits) {
    ++counts.other_bits;
  } else {
    ++counts.other_answer;
    counts.not_finite += effect == Effect::not_finite ? 1 : 0;
  }
}

}  // namespace

const char* name_of(BitKind kind) {
  static constexpr std::array<const char*, 3> names{"sign", "exponent", "mantissa"};
  return names[static_cast<size_t>(kind)];
}

void FlipCounts::add(const FlipCounts& more) {
  flips += more.flips;
  masked += more.masked;
  other_bits += more.other_bits;
  other_answer += more.other_answer;
  not_finite += more.not_finite;
  by_checksum += more.by_checksum;
}

double FlipSite::vulnerability() const {
  double share = 0.0, bits = 0.0;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind].flips == 0) continue;
    share += bits_of_kind[kind] * static_cast<double>(kinds[kind].other_answer) /
             static_cast<double>(kinds[kind].flips);
    bits += bits_of_kind[kind];
  }
  return bits > 0.0 ? share / bits : 0.0;
}

SoftErrorCampaign::SoftErrorCampaign(const Model& model, SoftErrors& errors,
                                     const CampaignOptions& options)
    : errors_(errors), options_(options) {
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer)
    for (const Flip::Place place : {Flip::Place::weight, Flip::Place::map})
      if (const int64_t words = errors.words(place, {layer}); words > 0)
        sites_.push_back({.layer = {layer}, .place = place, .words = words});
}

Status SoftErrorCampaign::step(const Judge& judge) {
  assert(next_ < size());
  FlipSite& site = sites_[next_ % sites_.size()];
  const auto kind = static_cast<BitKind>(next_ / sites_.size() % site.kinds.size());
  constexpr uint64_t apart = 0x9e3779b97f4a7c15U;  // seeds of neighbours
  const auto outcome = errors_.flip(drawn(site, kind, (options_.seed * apart) ^ next_));
  if (!outcome) return Error{outcome.error()};
  ++next_;
  const Effect effect = outcome->other_outputs ? judge(errors_.clean_outputs(), outcome->outputs)
                                               : Effect::other_bits;
  count(*outcome, effect, site.kinds[static_cast<size_t>(kind)]);
  return success();
}

FlipCounts total(const std::vector<FlipSite>& sites, Flip::Place place, BitKind kind) {
  FlipCounts sum;
  for (const FlipSite& site : sites)
    if (site.place == place) sum.add(site.kinds[static_cast<size_t>(kind)]);
  return sum;
}

double vulnerability(const std::vector<FlipSite>& sites, Flip::Place place) {
  double share = 0.0, words = 0.0;
  for (const FlipSite& site : sites) {
    if (site.place != place) continue;
    share += site.vulnerability() * static_cast<double>(site.words);
    words += static_cast<double>(site.words);
  }
  return words > 0.0 ? share / words : 0.0;
}

}  // namespace shingle
