#include "partition/simulation/connections.hpp"

#include <algorithm>

namespace shingle {
namespace {

// If there are more, all are dropped, so that a search on a small machine does not keep everything
// that it tried.
constexpr size_t most_known = 6000;

const BlockBoxes* find(const std::vector<BlockBoxes>& boxes, TensorId tensor) {
  const auto at =
      std::lower_bound(boxes.begin(), boxes.end(), tensor,
                       [](const BlockBoxes& box, TensorId other) { return box.tensor < other; });
  return at == boxes.end() || at->tensor != tensor ? nullptr : &*at;
}

}  // namespace

Connections::Connections(const Model& model, const Cluster& cluster)
    : model_(model), is_output_(model.tensors.size(), false) {
  for (uint32_t i = 0; i < cluster.nodes.size(); ++i) node_of_[cluster.nodes[i].id] = i;
  for (const ModelOutput& output : model.outputs) is_output_[output.tensor.value] = true;
}

std::vector<LinkedAt> Connections::of(const std::vector<const MadeBlock*>& blocks) {
  if (known_.size() > most_known) known_.clear();
  std::map<TensorId, std::pair<Key, LinkedAt>> found;
  const auto entry = [&](TensorId tensor) -> std::pair<Key, LinkedAt>& {
    const auto [at, fresh] = found.try_emplace(tensor);
    at->second.first.tensor = tensor;
    return at->second;
  };
  for (uint32_t number = 0; number < blocks.size(); ++number) {
    for (const BlockBoxes& made : blocks[number]->outputs) {
      auto& [key, at] = entry(made.tensor);
      key.maker = blocks[number];
      at.maker = number;
    }
    for (const BlockBoxes& read : blocks[number]->inputs) {
      auto& [key, at] = entry(read.tensor);
      key.readers.push_back(blocks[number]);
      at.readers.push_back(number);
    }
  }
  std::vector<LinkedAt> links;
  for (auto& [tensor, pair] : found) {
    const auto [known, fresh] = known_.try_emplace(pair.first);
    if (fresh) known->second = link(pair.first);
    pair.second.linked = &known->second;
    links.push_back(std::move(pair.second));
  }
  return links;
}

Linked Connections::link(const Key& key) const {
  Linked linked;
  linked.tensor = key.tensor;
  linked.element_bytes = bytes_of(wire_format(model_.at(key.tensor).type));
  std::vector<TileBox> makers, readers;
  if (key.maker != nullptr) {
    const BlockBoxes& made = *find(key.maker->outputs, key.tensor);
    makers = made.boxes;
    linked.makers = made.tiles;
  }
  for (uint32_t block = 0; block < key.readers.size(); ++block) {
    const BlockBoxes& read = *find(key.readers[block]->inputs, key.tensor);
    readers.insert(readers.end(), read.boxes.begin(), read.boxes.end());
    for (uint32_t tile : read.tiles) linked.readers.push_back({block, tile});
  }
  if (key.maker == nullptr) {
    linked.flow.strips = frame_strips(readers, linked.element_bytes);
  } else {
    linked.flow = connection(makers, readers, linked.element_bytes, is_output_[key.tensor.value]);
  }
  linked.canvases = canvases(linked, makers, readers);
  return linked;
}

std::vector<Linked::Canvas> Connections::canvases(const Linked& linked,
                                                  const std::vector<TileBox>& makers,
                                                  const std::vector<TileBox>& readers) const {
  std::map<uint32_t, std::pair<Region, int32_t>> by_node;  // hull, users
  for (const std::vector<TileBox>* side : {&makers, &readers}) {
    for (const TileBox& box : *side) {
      auto& [region, users] = by_node[node_of_.at(box.home)];
      region = hull(region, box.region);
      ++users;
    }
  }
  for (const Connection::Strip& strip : linked.flow.strips) {
    if (!makers.empty()) ++by_node[node_of_.at(makers[strip.maker].home)].second;
  }
  std::vector<Linked::Canvas> found;
  for (const auto& [node, canvas] : by_node) {
    const auto& [region, users] = canvas;
    found.push_back({node, users, region.elements() * linked.element_bytes,
                     region.c.size() * linked.element_bytes});
  }
  return found;
}

}  // namespace shingle
