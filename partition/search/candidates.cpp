#include "partition/search/candidates.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {
namespace {

// With more nodes, one node's part of a map is small enough without finer cuts.
constexpr size_t most_nodes_cut_finely = 16;
constexpr int64_t buckets = 48;
constexpr int32_t most_turns = 2 * buckets;  // layers of a stretch that get borders of their own

// By position: bytes of all tensors that are made up to there and read after it.
std::vector<int64_t> crossing_bytes(const Model& model, const LayerOrder& order) {
  const size_t count = order.layers.size();
  std::vector<int64_t> change(count + 1, 0);
  for (size_t tensor = 0; tensor < model.tensors.size(); ++tensor) {
    if (order.made_at[tensor] < 0 || order.last_read_at[tensor] < 0) continue;
    const Tensor& at = model.tensors[tensor];
    const int64_t bytes = bytes_of(at.shape, at.type);
    change[static_cast<size_t>(order.made_at[tensor])] += bytes;
    change[static_cast<size_t>(order.last_read_at[tensor])] -= bytes;
  }
  for (size_t i = 1; i <= count; ++i) change[i] += change[i - 1];
  return change;
}

// A layer that turns rows or columns into the other axis or into channels: blocks before and after
// it are best dealt along different axes. One that gathers square patches does not.
bool turns_map(const Model& model, const Layer& layer) {
  if (!std::holds_alternative<Rearrange>(layer.op)) return false;
  const Shape from = model.at(layer.inputs[0]).shape, to = model.at(layer.output).shape;
  return int64_t{from.h} * to.w != int64_t{to.h} * from.w;
}

}  // namespace

Borders::Borders(const Model& model, const LayerOrder& order)
    : model_(model),
      order_(order),
      crossing_bytes_(crossing_bytes(model, order)),
      bucket_macs_(std::max<int64_t>(1, total_macs(model) / buckets)) {}

std::vector<size_t> Borders::ends(const Stretch& stretch) const {
  std::vector<size_t> ends;
  int64_t behind = 0;  // MACs of this stretch up to and including the current layer
  int64_t bucket = -1;
  int32_t turned = 0;
  for (size_t i = stretch.begin; i < stretch.end; ++i) {
    const LayerId layer = order_.layers[i];
    behind += macs(model_, layer, whole(model_.at(model_.at(layer).output).shape));
    const bool turns = turned < most_turns && i > stretch.begin &&
                       turns_map(model_, model_.at(layer)) &&
                       !turns_map(model_, model_.at(order_.layers[i - 1]));
    turned += turns ? 1 : 0;
    if (turns && (ends.empty() || ends.back() != i)) ends.push_back(i);
    if (turns || behind / bucket_macs_ != bucket) {
      bucket = behind / bucket_macs_;
      ends.push_back(i + 1);
    } else if (crossing_bytes_[i] <= crossing_bytes_[ends.back() - 1]) {
      ends.back() = i + 1;
    }
  }
  if (ends.empty() || ends.back() != stretch.end) ends.push_back(stretch.end);
  return ends;
}

std::vector<Layout> layout_families(size_t nodes) {
  std::vector<Layout> families;
  std::vector<int32_t> groups{1};
  if (nodes >= 4) groups.push_back(2);
  if (nodes >= 9) groups.push_back(static_cast<int32_t>(std::lround(std::sqrt(double(nodes)))));
  for (int32_t count : groups) {
    for (int32_t side : {1, 2}) {
      if (nodes > most_nodes_cut_finely && side > 1) continue;
      families.push_back({.shares = {}, .groups = count, .rows = side, .columns = side});
    }
  }
  return families;
}

}  // namespace shingle
