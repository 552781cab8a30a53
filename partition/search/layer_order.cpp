#include "partition/search/layer_order.hpp"

#include <algorithm>
#include <set>

#include "partition/model/demand.hpp"
#include "partition/search/joints.hpp"

namespace shingle {
namespace {

// True if each half of the output, along the axis that is cut, needs clearly less than all of every
// input. It finds rearrangements and reductions that are worth cutting although they are not
// spatially local, such as rows that are concatenated, or the mean of each row.
bool halves_need_parts(const Model& model, const Layer& layer, bool along_x) {
  const Region all = whole(model.at(layer.output).shape);
  Region first = all, second = all;
  if (!along_x) {
    first.y.end = second.y.begin = all.y.size() / 2;
  } else {
    first.x.end = second.x.begin = all.x.size() / 2;
  }
  for (size_t input = 0; input < layer.inputs.size(); ++input) {
    const int64_t elements = model.at(layer.inputs[input]).shape.elements();
    for (const Region& half : {first, second}) {
      if (demand(model, layer, input, half).elements() * 4 > elements * 3) return false;
    }
  }
  return true;
}

MapKind kind_of(const Model& model, const Layer& layer) {
  const Shape shape = model.at(layer.output).shape;
  if (shape.h == 1 && shape.w == 1) return MapKind::whole;
  const std::optional<Axis> axis = long_axis(shape);
  if (!goes_along_first_input(model, layer)) {
    const bool may_be_cut =
        std::holds_alternative<Rearrange>(layer.op) || std::holds_alternative<Reduction>(layer.op);
    if (!may_be_cut || !halves_need_parts(model, layer, axis == Axis::x)) return MapKind::whole;
  }
  if (!axis) return MapKind::map;
  return axis == Axis::x ? MapKind::row : MapKind::column;
}

// Kahn's algorithm with one set of ready layers per kind. It stays with a kind as long as possible,
// and prefers `map`.
class Scheduler {
 public:
  Scheduler(const Model& model, Precedence precedence) : model_(model), readers_(readers(model)) {
    rank(precedence);
    missing_.assign(model.layers.size(), 0);
    std::vector<bool> made(model.tensors.size(), false);
    for (const Layer& layer : model.layers) made[layer.output.value] = true;
    for (uint32_t i = 0; i < model.layers.size(); ++i) {
      for (TensorId input : model.layers[i].inputs) missing_[i] += made[input.value] ? 1 : 0;
      kinds_.push_back(kind_of(model, model.layers[i]));
      if (missing_[i] == 0) ready(kinds_[i]).insert({rank_[i], i});
    }
  }

  LayerOrder order() {
    LayerOrder order;
    while (std::optional<MapKind> kind = next_kind()) {
      while (!ready(*kind).empty()) take(*kind, order);
    }
    return order;
  }

 private:
  // MACs on the longest path after each layer; 0 for all layers if the file's order is kept.
  void rank(Precedence precedence) {
    rank_.assign(model_.layers.size(), 0);
    if (precedence == Precedence::file) return;
    for (size_t i = model_.layers.size(); i-- > 0;) {
      for (LayerId reader : readers_[model_.layers[i].output.value]) {
        const Region all = whole(model_.at(model_.at(reader).output).shape);
        rank_[i] = std::max(rank_[i], rank_[reader.value] + macs(model_, reader, all));
      }
    }
  }

  using Ready = std::set<std::pair<int64_t, uint32_t>>;  // rank, layer
  Ready& ready(MapKind kind) { return ready_[static_cast<size_t>(kind)]; }

  std::optional<MapKind> next_kind() {
    for (MapKind kind : {MapKind::map, MapKind::row, MapKind::column, MapKind::whole}) {
      if (!ready(kind).empty()) return kind;
    }
    return std::nullopt;
  }

  void take(MapKind kind, LayerOrder& order) {
    const uint32_t layer = ready(kind).begin()->second;
    ready(kind).erase(ready(kind).begin());
    order.layers.push_back({layer});
    order.kinds.push_back(kind);
    for (LayerId reader : readers_[model_.layers[layer].output.value]) {
      const std::vector<TensorId>& inputs = model_.at(reader).inputs;
      missing_[reader.value] -= static_cast<int32_t>(
          std::count(inputs.begin(), inputs.end(), model_.layers[layer].output));
      if (missing_[reader.value] == 0)
        ready(kinds_[reader.value]).insert({rank_[reader.value], reader.value});
    }
  }

  const Model& model_;
  std::vector<std::vector<LayerId>> readers_;
  std::vector<int32_t> missing_;  // by layer: inputs not made yet
  std::vector<MapKind> kinds_;    // by layer
  std::vector<int64_t> rank_;     // by layer
  std::array<Ready, 4> ready_;
};

}  // namespace

LayerOrder layer_order(const Model& model, Precedence precedence) {
  LayerOrder order = Scheduler(model, precedence).order();
  order.made_at.assign(model.tensors.size(), -1);
  order.last_read_at.assign(model.tensors.size(), -1);
  for (size_t i = 0; i < order.layers.size(); ++i) {
    const Layer& layer = model.at(order.layers[i]);
    order.made_at[layer.output.value] = static_cast<int32_t>(i);
    for (TensorId input : layer.inputs) {
      order.last_read_at[input.value] = static_cast<int32_t>(i);
    }
  }
  for (const LayerId id : order.layers) {
    const Layer& layer = model.at(id);
    const bool needs_all =
        goes_along_first_input(model, layer) && !is_spatially_local(model, layer);
    order.whole_made_at.push_back(needs_all ? order.made_at[layer.inputs[1].value] : -1);
  }
  for (const ModelOutput& output : model.outputs) {
    order.last_read_at[output.tensor.value] = static_cast<int32_t>(order.layers.size());
  }
  return order;
}

std::vector<Stretch> stretches(const LayerOrder& order) {
  std::vector<Stretch> found;
  for (size_t i = 0; i < order.kinds.size(); ++i) {
    const bool begins = found.empty() || found.back().kind != order.kinds[i] ||
                        order.whole_made_at[i] >= static_cast<int32_t>(found.back().begin);
    if (begins) {
      found.push_back({i, i, order.kinds[i]});
    }
    found.back().end = i + 1;
  }
  return found;
}

std::vector<TensorId> outputs_of(const Model& model, const LayerOrder& order, size_t begin,
                                 size_t end) {
  std::vector<TensorId> outputs;
  for (size_t i = begin; i < end; ++i) {
    const TensorId tensor = model.at(order.layers[i]).output;
    if (order.last_read_at[tensor.value] >= static_cast<int32_t>(end)) outputs.push_back(tensor);
  }
  std::sort(outputs.begin(), outputs.end());
  return outputs;
}

}  // namespace shingle
