#include "partition/model/late_moves.hpp"

#include <algorithm>
#include <numeric>

namespace shingle {

namespace {

bool only_moves(const Layer& layer) {
  return std::holds_alternative<Rearrange>(layer.op) || std::holds_alternative<Concat>(layer.op);
}

// The new place of a layer. A layer that moves elements goes before the layer with index `before`;
// for other layers `before` is their own index. If several moves go before one layer, a move that
// another move reads goes first: `moves` counts the moves from here to that layer.
struct Place {
  size_t before = 0, moves = 0;
};

std::vector<Place> places_of(const Model& model) {
  std::vector<Place> places(model.layers.size());
  std::vector<Place> first(model.tensors.size(), {SIZE_MAX, 0});  // of a tensor's readers
  for (size_t i = model.layers.size(); i-- > 0;) {  // readers come after what they read
    const Layer& layer = model.layers[i];
    const Place& reader = first[layer.output.value];
    const bool moves = only_moves(layer) && reader.before != SIZE_MAX;
    places[i] = moves ? Place{reader.before, reader.moves + 1} : Place{i, 0};
    for (const TensorId input : layer.inputs) {
      Place& earliest = first[input.value];
      if (places[i].before < earliest.before)
        earliest = places[i];
      else if (places[i].before == earliest.before)
        earliest.moves = std::max(earliest.moves, places[i].moves);
    }
  }
  return places;
}

}  // namespace

void move_late(Model& model) {
  const std::vector<Place> places = places_of(model);
  std::vector<size_t> order(model.layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    if (places[a].before != places[b].before) return places[a].before < places[b].before;
    return places[a].moves > places[b].moves;
  });
  std::vector<Layer> layers;
  for (const size_t index : order) layers.push_back(std::move(model.layers[index]));
  model.layers = std::move(layers);
}

}  // namespace shingle
