#include "runtime/node/audit.hpp"

#include <map>
#include <set>

namespace shingle {

std::optional<uint64_t> agreed(const std::vector<TileClaim>& claims, uint64_t windows) {
  std::map<uint64_t, std::set<NodeId>> claimants;  // by outputs
  for (const auto& [node, content] : claims)
    if (content.windows == windows) claimants[content.outputs].insert(node);
  std::optional<uint64_t> right;
  size_t most = 1;  // one node alone proves nothing
  for (const auto& [outputs, nodes] : claimants) {
    if (nodes.size() == most) right.reset();
    if (nodes.size() <= most) continue;
    right = outputs;
    most = nodes.size();
  }
  return right;
}

std::vector<NodeId> contradicting(const std::vector<TileClaim>& claims) {
  std::set<NodeId> nodes;
  for (const auto& [node, content] : claims) {
    const std::optional<uint64_t> right = agreed(claims, content.windows);
    if (right && content.outputs != *right) nodes.insert(node);
  }
  return {nodes.begin(), nodes.end()};
}

}  // namespace shingle
