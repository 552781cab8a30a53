#include "sim/sweep/nsga2.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace shingle::sim {

namespace {

constexpr double crossover_chance = 0.9;
constexpr int most_tries = 50;  // for a design that is new

}  // namespace

Nsga2::Nsga2(const DesignSpace& space, const Nsga2Options& options)
    : space_(space), options_(options), dice_(mixed_bits(options.seed)) {}

std::vector<Design> Nsga2::ask() {
  asked_.clear();
  const size_t left = options_.evaluations - std::min<size_t>(known_.size(), options_.evaluations);
  const size_t wanted = std::min<size_t>(options_.population, left);
  while (asked_.size() < wanted) {
    std::optional<Design> design;
    for (int i = 0; i < most_tries && !design; ++i) {
      design = members_.size() < 2 ? draw(space_, dice_) : offspring();
      if (design && known_.contains(*design)) design.reset();
    }
    if (!design) {  // offspring are all known: go on elsewhere
      for (int i = 0; i < most_tries && !design; ++i) {
        design = draw(space_, dice_);
        if (design && known_.contains(*design)) design.reset();
      }
    }
    if (!design) break;
    known_.insert(*design);
    asked_.push_back(std::move(*design));
  }
  return asked_;
}

void Nsga2::tell(const std::vector<Costs>& costs) {
  assert(costs.size() == asked_.size());
  for (size_t i = 0; i < costs.size(); ++i)
    if (!costs[i].empty()) members_.push_back({asked_[i], costs[i]});
  asked_.clear();
  select();
}

// The better front wins, then the emptier place.
const Nsga2::Member& Nsga2::tournament() {
  const Member& a = members_[dice_.below(members_.size())];
  const Member& b = members_[dice_.below(members_.size())];
  if (a.rank != b.rank) return a.rank < b.rank ? a : b;
  return a.crowding >= b.crowding ? a : b;
}

// None: it lies outside of the space.
std::optional<Design> Nsga2::offspring() {
  const Member& one = tournament();
  const Member& other = tournament();
  Design design = dice_.unit() < crossover_chance ? crossed(one.design, other.design) : one.design;
  mutate(design);
  if (!space_.contains(design)) return std::nullopt;
  return design;
}

Design Nsga2::crossed(const Design& a, const Design& b) {
  Design design = a;
  for (size_t i = 0; i < design.size(); ++i)
    if (dice_.below(2) == 0) design[i] = b[i];
  return design;
}

// One axis on average. Ordered axes move by one as often as they jump.
void Nsga2::mutate(Design& design) {
  for (size_t i = 0; i < design.size(); ++i) {
    const uint32_t values = space_.axes[i].values;
    if (values < 2 || dice_.below(design.size()) != 0) continue;
    if (!space_.axes[i].ordered || dice_.below(2) == 0) {
      design[i] = static_cast<uint32_t>((design[i] + 1 + dice_.below(values - 1)) % values);
    } else {
      const bool up = design[i] == 0 || (design[i] + 1 < values && dice_.below(2) == 0);
      design[i] += up ? 1U : UINT32_MAX;  // UINT32_MAX: one less
    }
  }
}

// Keeps the best: front by front, and of the last one those that have most room around them.
void Nsga2::select() {
  std::vector<Costs> costs;
  for (const Member& member : members_) costs.push_back(member.costs);
  const std::vector<uint32_t> ranks = front_ranks(costs);
  for (size_t i = 0; i < members_.size(); ++i) {
    members_[i].rank = ranks[i];
    members_[i].crowding = 0.0;
  }
  std::ranges::stable_sort(members_, {}, &Member::rank);
  for (auto begin = members_.begin(); begin != members_.end();) {
    const auto end = std::find_if(begin, members_.end(),
                                  [&](const Member& each) { return each.rank != begin->rank; });
    const size_t objectives = begin->costs.size();
    for (size_t k = 0; k < objectives; ++k) {
      std::stable_sort(begin, end,
                       [k](const Member& a, const Member& b) { return a.costs[k] < b.costs[k]; });
      const double width = (end - 1)->costs[k] - begin->costs[k];
      begin->crowding = (end - 1)->crowding = std::numeric_limits<double>::infinity();
      for (auto each = begin + 1; width > 0.0 && each < end - 1; ++each)
        each->crowding += ((each + 1)->costs[k] - (each - 1)->costs[k]) / width;
    }
    std::stable_sort(begin, end,
                     [](const Member& a, const Member& b) { return a.crowding > b.crowding; });
    begin = end;
  }
  if (members_.size() > options_.population)
    members_.erase(members_.begin() + options_.population, members_.end());
}

}  // namespace shingle::sim
