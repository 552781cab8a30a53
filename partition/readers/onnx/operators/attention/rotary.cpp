// RotaryEmbedding: turns pairs of features by an angle that follows from their place.
//
//   x1' = x1 * cos - x2 * sin        each feature times its own cosine, plus
//   x2' = x2 * cos + x1 * sin        its partner times plus or minus the sine
#include "partition/readers/onnx/operators/attention/heads.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/selection/selection.hpp"

namespace shingle::onnx {

namespace {

// Which features form pairs: neighbours, or one of the first half and one of the second.
struct Pairs {
  int64_t features = 0, turned = 0;  // of a head; the first ones are turned
  bool interleaved = false;

  bool is_first(int64_t feature) const {
    return interleaved ? feature % 2 == 0 : feature < turned / 2;
  }
  int64_t partner(int64_t feature) const {
    if (feature >= turned) return feature;
    const int64_t apart = interleaved ? 1 : turned / 2;
    return is_first(feature) ? feature + apart : feature - apart;
  }
  int64_t pair(int64_t feature) const { return interleaved ? feature / 2 : feature % (turned / 2); }
};

Pairs pairs_of(const Node& node, int64_t features) {
  const int64_t given = node.integer("rotary_embedding_dim", 0);
  const Pairs pairs{.features = features,
                    .turned = given == 0 ? features : given,
                    .interleaved = node.integer("interleaved", 0) != 0};
  if (pairs.turned < 2 || pairs.turned > features || pairs.turned % 2 != 0) {
    node.refuse("it turns " + std::to_string(pairs.turned) + " of " + std::to_string(features) +
                " features, and not an even number of them");
  }
  return pairs;
}

// The sines or cosines of one frame: [batch][places][pairs].
struct Angles {
  const Constant& cache;
  std::vector<int64_t> rows;  // of the cache, by batch and place
  int64_t pairs;

  float at(int64_t row, int64_t pair) const {
    return cache.floats[rows[static_cast<size_t>(row)] * pairs + pair];
  }
};

// Without positions the caches have a row for each place, otherwise one for each position.
Angles angles_of(Node& node, size_t input, const Dims& dims, const Pairs& pairs) {
  Angles angles{.cache = node.floats(input), .rows = {}, .pairs = pairs.turned / 2};
  const Dims& cache = angles.cache.dims;
  const int64_t count = dims[0] * dims[2];
  const Dims by_place{dims[0], dims[2], angles.pairs};
  const bool fits = node.has(3) ? cache.size() == 2 && cache[1] == angles.pairs : cache == by_place;
  if (!fits) {
    node.refuse("its cache " + text_of(cache) + " does not hold " + std::to_string(angles.pairs) +
                (node.has(3) ? " angles for each position" : " angles for each place"));
  }
  node.store().budget.charge(count, 8);
  for (int64_t i = 0; i < count; ++i) angles.rows.push_back(i);
  if (!node.has(3)) return angles;
  const Constant& positions = node.constant(3);
  if (!positions.integer || positions.dims != Dims{dims[0], dims[2]}) {
    node.refuse("its positions are not one integer for each of " + std::to_string(dims[0]) + "x" +
                std::to_string(dims[2]) + " places");
  }
  for (const int64_t position : positions.integers) {
    if (position >= 0 && position < cache[0]) continue;
    node.refuse("its position " + std::to_string(position) + " is not one of " +
                std::to_string(cache[0]) + " in its caches");
  }
  angles.rows = positions.integers;
  return angles;
}

// [batch][1][places][features]: `factor` of each feature by its pair; features that are not turned
// have `rest`.
template <class Factor>
Constant by_feature(Node& node, const Dims& dims, const Pairs& pairs, float rest, Factor factor) {
  const Dims shape{dims[0], 1, dims[2], pairs.features};
  node.store().budget.charge(checked_elements(shape, node.store().limits));
  std::vector<float> values;
  for (int64_t row = 0; row < dims[0] * dims[2]; ++row) {
    for (int64_t feature = 0; feature < pairs.features; ++feature)
      values.push_back(feature < pairs.turned ? factor(row, feature) : rest);
  }
  return node.store().floats(shape, std::move(values));
}

}  // namespace

void rotary_embedding(Node& node) {
  static_cast<void>(node.box(0));  // refuses a constant
  const bool flat = node.dims(0).size() == 3;
  const Box box = std::get<Box>(in_heads(node, 0, "num_heads"));
  const Dims dims = sizes(box.view);
  const Pairs pairs = pairs_of(node, dims[3]);
  const Angles cosines = angles_of(node, 1, dims, pairs), sines = angles_of(node, 2, dims, pairs);
  const Constant own = by_feature(node, dims, pairs, 1.0F, [&](int64_t row, int64_t feature) {
    return cosines.at(row, pairs.pair(feature));
  });
  const Constant other = by_feature(node, dims, pairs, 0.0F, [&](int64_t row, int64_t feature) {
    const float sine = sines.at(row, pairs.pair(feature));
    return pairs.is_first(feature) ? -sine : sine;
  });
  std::vector<int64_t> partners;
  for (int64_t feature = 0; feature < dims[3]; ++feature)
    partners.push_back(pairs.partner(feature));
  const Box exchanged = gathered_box(node, box, 3, partners);
  const Box turned = combine(node, Binary::Kind::add, combine(node, Binary::Kind::mul, box, own),
                             combine(node, Binary::Kind::mul, exchanged, other));
  node.set(flat ? joined_heads(node, turned) : Value(turned));
}

}  // namespace shingle::onnx
