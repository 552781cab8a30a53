#include "partition/simulation/block_memory.hpp"

namespace shingle {

void BlockMemory::add(size_t home, const TileProgram& program) {
  const Footprint& footprint = *cluster_.footprint;
  Channels channels;
  for (const Slice& output : program.outputs)
    channels.emplace_back(output.region.c.begin, output.region.c.end);
  Kept& kept = kept_[channels];
  kept.nodes.insert(home);
  kept.buffers = larger(kept.buffers, footprint.pass(model_, program));
  for (const Step& step : program.steps) {
    const auto [place, added] = kept.weight_bytes.try_emplace(
        {step.layer.value, step.algorithm, step.output.c.begin, step.output.c.end});
    if (added) place->second = footprint.weights(model_, step);
  }
}

std::vector<int64_t> BlockMemory::weight_bytes() const {
  std::vector<int64_t> by_node;
  for (size_t node = 0; node < cluster_.nodes.size(); ++node) {
    std::map<StepKey, int64_t> together;
    for (const auto& [channels, kept] : kept_)
      if (keeps(kept, node)) together.insert(kept.weight_bytes.begin(), kept.weight_bytes.end());
    int64_t sum = 0;
    for (const auto& [key, bytes] : together) sum += bytes;
    by_node.push_back(sum);
  }
  return by_node;
}

std::vector<PassBuffers> BlockMemory::buffers() const {
  std::vector<PassBuffers> by_node(cluster_.nodes.size());
  for (size_t node = 0; node < by_node.size(); ++node)
    for (const auto& [channels, kept] : kept_)
      if (keeps(kept, node)) by_node[node] = larger(by_node[node], kept.buffers);
  return by_node;
}

}  // namespace shingle
