#include "runtime/node/spare_nodes.hpp"

#include <algorithm>

#include "partition/base/dice.hpp"

namespace shingle {

SpareNodes::SpareNodes(std::vector<NodeId> members) : members_(std::move(members)) {
  std::sort(members_.begin(), members_.end());
}

const std::vector<NodeId>& SpareNodes::of(NodeId owner) {
  const auto [entry, is_new] = known_.try_emplace(owner);
  std::vector<NodeId>& chosen = entry->second;
  if (!is_new) return chosen;
  chosen = members_;
  std::erase(chosen, owner);
  if (chosen.size() <= most) return chosen;
  const auto rank = [&](NodeId member) {
    return mixed_bits(uint64_t{owner.value} << 32 | member.value);
  };
  std::ranges::nth_element(chosen, chosen.begin() + most, {}, rank);
  chosen.resize(most);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace shingle
