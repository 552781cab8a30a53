#include "partition/plan/rotation.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace shingle {
namespace {

constexpr double about_as_good = 0.995;

std::string of_plan(size_t index, size_t count) {
  return count == 1 ? ""
                    : "plan " + std::to_string(index + 1) + " of " + std::to_string(count) + ": ";
}

// The part of a round's work that is done when the first plan is finished; 1 if all finish
// together.
double evenness(const std::vector<int32_t>& shares, const std::vector<double>& speeds) {
  double longest = 0.0, sum = 0.0;
  for (size_t i = 0; i < shares.size(); ++i) {
    longest = std::max(longest, shares[i] / speeds[i]);
    sum += speeds[i];
  }
  return std::accumulate(shares.begin(), shares.end(), 0.0) / (longest * sum);
}

// Gives one more frame to the plan that needs the least time with it.
void add_frame(std::vector<int32_t>& shares, const std::vector<double>& speeds) {
  size_t soonest = 0;
  const auto end_with_one_more = [&](size_t i) { return (shares[i] + 1) / speeds[i]; };
  for (size_t i = 1; i < shares.size(); ++i)
    if (end_with_one_more(i) < end_with_one_more(soonest)) soonest = i;
  ++shares[soonest];
}

// Of all blocks, ascending ids.
std::vector<BlockLayer> layers_of(const Plan& plan) {
  std::vector<BlockLayer> all;
  for (const FusedBlock& block : plan.blocks)
    all.insert(all.end(), block.layers.begin(), block.layers.end());
  std::sort(all.begin(), all.end(),
            [](const BlockLayer& a, const BlockLayer& b) { return a.id < b.id; });
  return all;
}

}  // namespace

bool same_algorithms(const Plan& a, const Plan& b) { return layers_of(a) == layers_of(b); }

std::vector<std::string> defects(const Rotation& rotation, const Model& model,
                                 const std::vector<NodeId>& members) {
  assert(rotation.size() <= max_turns);
  if (rotation.empty()) return {"there is no plan"};
  std::vector<std::string> all;
  for (size_t i = 0; i < rotation.size(); ++i) {
    const Plan& plan = rotation[i].plan;
    const std::string name = of_plan(i, rotation.size());
    for (const std::string& wrong :
         members.empty() ? defects(plan, model) : defects(plan, model, members))
      all.push_back(name + wrong);
    if (!same_algorithms(plan, rotation[0].plan))
      all.push_back(name +
                    "it computes layers with other algorithms than the first plan, so its frames "
                    "would come out with other bits");
    for (size_t j = 0; j < i; ++j)
      if (hash_of(plan) == hash_of(rotation[j].plan))
        all.push_back(name + "it is plan " + std::to_string(j + 1) +
                      " once more; give that a larger share");
  }
  return all;
}

std::vector<NodeId> homes(const Rotation& rotation) {
  std::vector<NodeId> all;
  for (const Turn& turn : rotation) {
    const std::vector<NodeId> some = homes(turn.plan);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Dealer::Dealer(const Rotation& rotation) : credits_(rotation.size(), 0) {
  for (const Turn& turn : rotation) shares_.push_back(turn.share);
}

// Smooth weighted round-robin: each turn adds its share to its credit; the turn with the largest
// credit is next and pays the sum of all shares.
size_t Dealer::next(const std::vector<bool>& may) {
  assert(!shares_.empty() && may.size() == shares_.size());
  const bool all = std::none_of(may.begin(), may.end(), [](bool each) { return each; });
  std::optional<size_t> richest;
  int64_t sum = 0;
  for (size_t i = 0; i < shares_.size(); ++i) {
    if (!all && !may[i]) continue;
    credits_[i] += shares_[i];
    sum += shares_[i];
    if (!richest || credits_[i] > credits_[*richest]) richest = i;
  }
  credits_[*richest] -= sum;
  return *richest;
}

std::vector<size_t> round_of(const Rotation& rotation) {
  Dealer dealer(rotation);
  int32_t frames = 0;
  for (const Turn& turn : rotation) frames += turn.share;
  std::vector<size_t> turns;
  for (int32_t i = 0; i < frames; ++i)
    turns.push_back(dealer.next(std::vector<bool>(rotation.size(), true)));
  return turns;
}

std::vector<int32_t> shares_for(const std::vector<double>& speeds, int32_t longest) {
  assert(!speeds.empty() && longest >= std::ssize(speeds));
  std::vector<std::vector<int32_t>> rounds{std::vector<int32_t>(speeds.size(), 1)};
  for (auto frames = std::ssize(speeds); frames < longest; ++frames) {
    rounds.push_back(rounds.back());
    add_frame(rounds.back(), speeds);
  }
  double best = 0.0;
  for (const auto& shares : rounds) best = std::max(best, evenness(shares, speeds));
  return *std::find_if(rounds.begin(), rounds.end(), [&](const auto& shares) {
    return evenness(shares, speeds) >= about_as_good * best;
  });
}

}  // namespace shingle
