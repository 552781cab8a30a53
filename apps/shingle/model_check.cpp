#include "apps/shingle/model_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "partition/model/demand.hpp"

namespace shingle {
namespace {

std::string window_text(const Window& y, const Window& x) {
  return std::to_string(y.kernel) + "x" + std::to_string(x.kernel);
}

// What distinguishes layers of one operator, for people.
struct Label {
  std::string name;
  int32_t channels;  // of the output

  std::string operator()(const Convolution& op) const {
    const char* kind = op.groups == 1 ? "" : op.groups == channels ? "depthwise " : "grouped ";
    return kind + name + " " + window_text(op.y, op.x);
  }
  std::string operator()(const TransposedConvolution& op) const {
    return name + " " + window_text(op.y, op.x);
  }
  std::string operator()(const Pooling& op) const {
    const char* const kinds[] = {"max ", "average ", "place of max "};
    return kinds[static_cast<size_t>(op.kind)] + name + " " + window_text(op.y, op.x);
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return name;
  }
};

// Why no bounded part of the input gives a part of the output. REQUIRES: !is_spatially_local.
struct WhyWhole {
  std::string operator()(const Reduction& op) const {
    const char* over = op.y && op.x ? "the map" : op.y ? "the map's height" : "the map's width";
    return std::string("it reduces all of ") + over + " to one value";
  }
  std::string operator()(const Softmax& op) const {
    return std::string("softmax over the map's ") + (op.axis == Axis::y ? "height" : "width") +
           ": every value depends on all";
  }
  std::string operator()(const Rearrange&) const {
    return "a reshape or transpose moves elements across the map";
  }
  std::string operator()(const GridSample&) const {
    return "it reads its map at places that depend on the input";
  }
  std::string operator()(const Take&) const {
    return "it reads its map at indices that depend on the input";
  }
  std::string operator()(const Order&) const { return "it sorts all elements along an axis"; }
  std::string operator()(const Scatter&) const {
    return "it changes elements at indices that depend on the input";
  }
  std::string operator()(const Suppression&) const { return "it compares all boxes"; }
  std::string operator()(const Recurrence&) const { return "each step depends on those before"; }
  std::string operator()(const Gather&) const { return "it picks rows or columns far apart"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "every part of its output depends on its whole input";
  }
};

std::string why_whole(const Model& model, const Layer& layer) {
  if (!is_spatially_local(model, layer)) return std::visit(WhyWhole{}, layer.op);
  return "its map is one pixel";
}

CheckedLayer checked(const Model& model, LayerId id, MapKind cut) {
  const Layer& layer = model.at(id);
  const Shape output = model.at(layer.output).shape;
  const Algorithm algorithm = chosen_algorithm(model, layer, WinogradUse::where_faster);
  CheckedLayer result{.name = layer.name,
                      .op = std::visit(Label{name_of(layer.op), output.c}, layer.op),
                      .output = output,
                      .cut = cut,
                      .grid = algorithm == Algorithm::winograd4 ? winograd_grid : 1,
                      .kernel = kernel_kind(model, layer, algorithm),
                      .macs = macs(model, id, whole(output)),
                      .why_whole = {},
                      .why_slow = {}};
  if (cut == MapKind::whole) result.why_whole = why_whole(model, layer);
  result.why_slow = why_slow(model, layer, result.kernel);
  return result;
}

// Runs of whole maps, but for the last if nothing that is cut follows it.
int32_t gathers_of(const LayerOrder& order) {
  const std::vector<Stretch> found = stretches(order);
  int32_t count = 0;
  for (size_t i = 0; i + 1 < found.size(); ++i) count += found[i].kind == MapKind::whole ? 1 : 0;
  return count;
}

auto kind_of(const CheckedLayer& layer) {
  return std::tie(layer.op, layer.cut, layer.kernel, layer.why_whole, layer.why_slow);
}

void add(LayerGroup& group, const CheckedLayer& layer) {
  group.last = layer.name;
  ++group.layers;
  group.macs += layer.macs;
}

}  // namespace

ModelCheck check_of(const Model& model) {
  const LayerOrder order = layer_order(model);
  std::vector<MapKind> cuts(model.layers.size(), MapKind::whole);
  for (size_t i = 0; i < order.layers.size(); ++i) cuts[order.layers[i].value] = order.kinds[i];
  ModelCheck check{.layers = {}, .macs = 0, .distributed_macs = 0, .gathers = gathers_of(order)};
  for (uint32_t i = 0; i < model.layers.size(); ++i) {
    check.layers.push_back(checked(model, LayerId{i}, cuts[i]));
    check.macs += check.layers.back().macs;
    if (cuts[i] != MapKind::whole) check.distributed_macs += check.layers.back().macs;
  }
  return check;
}

std::vector<LayerGroup> by_work(const ModelCheck& check) {
  std::vector<LayerGroup> groups;
  std::map<decltype(kind_of(check.layers.front())), size_t> places;
  for (const CheckedLayer& layer : check.layers) {
    const auto [place, is_new] = places.try_emplace(kind_of(layer), groups.size());
    if (is_new) groups.push_back({.like = layer, .last = {}});
    add(groups[place->second], layer);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const LayerGroup& a, const LayerGroup& b) { return a.macs > b.macs; });
  return groups;
}

std::vector<LayerGroup> one_by_one(const ModelCheck& check) {
  std::vector<LayerGroup> groups;
  for (const CheckedLayer& layer : check.layers)
    groups.push_back({.like = layer, .last = layer.name, .layers = 1, .macs = layer.macs});
  return groups;
}

const char* name_of(MapKind cut) {
  static constexpr std::array names{"tiles", "columns", "rows", "whole map"};
  return names[static_cast<size_t>(cut)];
}

}  // namespace shingle
