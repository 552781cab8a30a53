#include "apps/client/stream_sentences.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

namespace shingle {

std::string missing_homes(const AwaitedHomes& awaited) {
  std::string missing;
  for (const ClusterFileNode& node : awaited.cluster.nodes) {
    const auto is = [&](const std::vector<NodeId>& ids) {
      return std::find(ids.begin(), ids.end(), node.id) != ids.end();
    };
    if (node.id == awaited.self || !is(awaited.homes) || is(awaited.joined)) continue;
    if (!missing.empty()) missing += ", ";
    missing +=
        node.name + (node.port == 0 ? " (not at an announced address)"
                                    : " (" + node.address + ":" + std::to_string(node.port) + ")");
  }
  const std::string waited = std::to_string(awaited.patience.count() / 1000) + " s";
  if (missing.empty()) return "the nodes did not get the plan ready within " + waited;
  return "no connection within " + waited + " to " + missing + "; is 'shingle node' running there?";
}

std::string new_speeds(const Cluster& cluster, const std::vector<double>& slowness) {
  assert(slowness.size() == cluster.nodes.size());
  std::string speeds;
  for (size_t i = 0; i < slowness.size(); ++i) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%snode %u %.2f", speeds.empty() ? "" : ", ",
                  cluster.nodes[i].id.value, slowness[i]);
    speeds += text.data();
  }
  return "planned anew, because nodes take longer or shorter than their profiles say (1.00: as "
         "long): " +
         speeds;
}

std::string with_model_file(std::string sentence, const Model& model, const std::string& file) {
  const std::string hash = to_string(file_hash(name_of(model)));
  if (file.empty() || sentence.find(hash) == std::string::npos) return sentence;
  return sentence + "; it is '" + file + "' here: copy that file to the node";
}

}  // namespace shingle
