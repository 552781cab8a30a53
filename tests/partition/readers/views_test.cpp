// Views: reshapes and transposes that move nothing, compared with arrays that do move elements; and
// the models that the reader makes of chains of reshapes, transposes, slices, gathers and
// concatenations.
#include <doctest/doctest.h>

#include "partition/readers/onnx.hpp"
#include "partition/readers/onnx/view.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/array.hpp"
#include "tests/partition/search/moves.hpp"

using namespace shingle;
using networks::OnnxGraph;
using networks::Random;
using onnx::Dims;
using onnx::View;

namespace {

// The value that a view reads from a box whose elements are their own offsets.
std::vector<float> read_through(const View& view) {
  const Shape shape = onnx::box_shape(view);
  const ModelOutput output{.name = "",
                           .tensor = {},
                           .dims = onnx::sizes(view),
                           .factors = view.factors,
                           .box_axes = view.box,
                           .dim_axes = view.dims};
  std::vector<float> box(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < box.size(); ++i) box[i] = static_cast<float>(i);
  return in_file_order(output, shape, box);
}

std::vector<int64_t> random_permutation(Random& random, size_t rank) {
  std::vector<int64_t> permutation;
  for (size_t dim = 0; dim < rank; ++dim) {
    const int32_t place = random.between(0, static_cast<int32_t>(dim));
    permutation.insert(permutation.begin() + place, static_cast<int64_t>(dim));
  }
  return permutation;
}

// The prime factors of the total, distributed in order over a few dims, with some dims of size 1.
Dims random_dims(Random& random, int64_t total) {
  Dims dims;
  const auto ones = [&] {
    while (random.chance(0.2)) dims.push_back(1);
  };
  int64_t open = 1;
  for (int64_t prime = 2; total > 1;) {
    if (total % prime != 0) {
      ++prime;
      continue;
    }
    total /= prime;
    open *= prime;
    if (random.chance(0.5) && dims.size() < 5) {
      ones();
      dims.push_back(open);
      open = 1;
    }
  }
  if (open > 1 || dims.empty()) dims.push_back(open);
  return dims;
}

// ONNX values of [1, c, h, w] in the model's order (y, x, c).
std::vector<float> channels_last(const Array& array) {
  return reshaped(transposed(array, {0, 2, 3, 1}), {static_cast<int64_t>(array.values.size())})
      .values;
}

// A chain of random operators, built as an ONNX file and as arrays at once.
class Chain {
 public:
  explicit Chain(Random& random) : random_(random) {
    static constexpr int64_t sizes[] = {1, 2, 3, 4, 6, 8, 12};
    const auto size = [&] { return sizes[random_.between(0, 6)]; };
    input_ = counting({1, 2 * size(), size(), size()});
    array_ = input_;
    graph_.input("in", input_.dims, ElementType::f32);
    name_ = "in";
  }

  void step() {
    switch (random_.between(0, 6)) {
      case 0:
      case 1:
        return reshape();
      case 2:
        return transpose();
      case 3:
        return slice();
      case 4:
        return gather();
      case 5:
        return split_and_join();
      default:
        return add_constant_value();
    }
  }

  const Array& input() const { return input_; }
  const Array& expected() const { return array_; }

  std::string file() {
    graph_.node("Identity", {name_}, {}, "out");
    graph_.output("out", array_.dims);
    return graph_.file();
  }

 private:
  size_t random_dim() {
    return static_cast<size_t>(random_.between(0, static_cast<int32_t>(array_.dims.size()) - 1));
  }

  void reshape() {
    const Dims dims = random_dims(random_, static_cast<int64_t>(array_.values.size()));
    name_ = graph_.node("Reshape", {name_, graph_.integers(dims)});
    array_ = reshaped(array_, dims);
  }

  void transpose() {
    const std::vector<int64_t> permutation = random_permutation(random_, array_.dims.size());
    name_ = graph_.node("Transpose", {name_}, {{"perm", permutation}});
    array_ = transposed(array_, permutation);
  }

  void slice() {
    const size_t dim = random_dim();
    const auto size = static_cast<int32_t>(array_.dims[dim]);
    const int32_t step = random_.between(1, 2) * (random_.chance(0.2) ? -1 : 1);
    const int32_t begin = random_.between(0, size - 1);
    const int32_t most = step > 0 ? (size - 1 - begin) / step + 1 : begin / -step + 1;
    const int32_t count = random_.between(1, most);
    const int64_t end = begin + int64_t{step} * count;
    std::vector<int64_t> indices;
    for (int64_t i = begin; i != end; i += step) indices.push_back(i);
    name_ = graph_.node(
        "Slice", {name_, graph_.integers({begin}), graph_.integers({end < 0 ? INT64_MIN : end}),
                  graph_.integers({static_cast<int64_t>(dim)}), graph_.integers({step})});
    array_ = taken(array_, dim, indices);
  }

  void gather() {
    const size_t dim = random_dim();
    const auto size = static_cast<int32_t>(array_.dims[dim]);
    std::vector<int64_t> indices;
    for (int32_t i = random_.between(1, std::min(size, 4)); i > 0; --i) {
      indices.push_back(random_.between(0, size - 1));
    }
    name_ = graph_.node("Gather", {name_, graph_.integers(indices)},
                        {{"axis", static_cast<int64_t>(dim)}});
    array_ = taken(array_, dim, indices);
  }

  // Splits in two and concatenates the halves in reverse order, perhaps with a constant between
  // them.
  void split_and_join() {
    const size_t dim = random_dim();
    const int64_t size = array_.dims[dim];
    if (size < 2) return reshape();
    const int64_t first = random_.between(1, static_cast<int32_t>(size) - 1);
    std::vector<int64_t> low, high;
    for (int64_t i = 0; i < size; ++i) (i < first ? low : high).push_back(i);
    const std::string a = name_ + "a", b = name_ + "b";
    graph_.node_with_outputs("Split", {name_, graph_.integers({first, size - first})},
                             {{"axis", static_cast<int64_t>(dim)}}, {a, b});
    std::vector<Array> parts{taken(array_, dim, high), taken(array_, dim, low)};
    std::vector<std::string> names{b, a};
    if (random_.chance(0.3)) {
      parts.push_back(parts[0]);
      names.push_back(graph_.floats(parts[0].dims, parts[0].values));
    }
    name_ = graph_.node("Concat", names, {{"axis", static_cast<int64_t>(dim)}});
    array_ = joined(parts, dim);
  }

  void add_constant_value() {
    Array constant{array_.dims, {}};
    for (int64_t& size : constant.dims) size = random_.chance(0.5) ? 1 : size;
    constant = counting(constant.dims);
    // Leading ones may be left out.
    Dims written = constant.dims;
    while (!written.empty() && written[0] == 1 && random_.chance(0.5)) {
      written.erase(written.begin());
    }
    name_ = graph_.node("Add", {graph_.floats(written, constant.values), name_});
    array_ = combined(constant, array_, [](float x, float y) { return x + y; });
  }

  Random& random_;
  OnnxGraph graph_;
  Array input_, array_;
  std::string name_;
};

}  // namespace

TEST_CASE("A view reads its box as the reshapes and transposes that made it would have moved it") {
  int64_t reshapes = 0, cut_across = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    View view =
        onnx::map_view({1, random.between(1, 12), random.between(1, 6), random.between(1, 6)});
    Array array{onnx::sizes(view), read_through(view)};
    for (int step = 0; step < 6; ++step) {
      if (random.chance(0.4)) {
        const std::vector<int64_t> permutation = random_permutation(random, array.dims.size());
        view = onnx::transposed(view, permutation);
        array = transposed(array, permutation);
      } else {
        const Dims dims = random_dims(random, static_cast<int64_t>(array.values.size()));
        const std::optional<View> next = onnx::reshaped(view, dims);
        ++reshapes;
        if (!next) {
          ++cut_across;
          continue;
        }
        view = *next;
        array = reshaped(array, dims);
      }
      REQUIRE(onnx::sizes(view) == array.dims);
      REQUIRE(read_through(view) == array.values);
      REQUIRE(onnx::normalised(view) == view);
    }
  }
  CHECK(cut_across > 0);
  CHECK(cut_across < reshapes / 2);
}

TEST_CASE("Two views that read one box alike are equal") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const View view = onnx::map_view({1, 12, 4, 6});
    const std::vector<int64_t> permutation = random_permutation(random, 4);
    std::vector<int64_t> back(4);
    for (size_t dim = 0; dim < 4; ++dim) {
      back[static_cast<size_t>(permutation[dim])] = static_cast<int64_t>(dim);
    }
    const View there = onnx::transposed(view, permutation);
    const std::optional<View> other_dims = onnx::reshaped(there, random_dims(random, 12 * 4 * 6));
    CHECK(onnx::transposed(there, back) == view);
    if (other_dims) CHECK(onnx::reshaped(*other_dims, onnx::sizes(there)) == there);
  }
}

TEST_CASE("A reshape that cuts across moved dims is not a view") {
  const View moved =
      onnx::transposed(onnx::map_view({1, 6, 4, 5}), std::vector<int64_t>{0, 2, 3, 1});
  CHECK(onnx::reshaped(moved, {1, 20, 2, 3}).has_value());
  CHECK_FALSE(onnx::reshaped(moved, {1, 15, 8}).has_value());
  CHECK_FALSE(onnx::reshaped(moved, {1, 20, 5}).has_value());
}

TEST_CASE("A map's dims lie on the axes that operators expect them on") {
  using enum Axis;
  CHECK(onnx::map_axes({1, 8, 4, 6}) == std::vector{c, c, y, x});
  CHECK(onnx::map_axes({8, 4, 6}) == std::vector{c, y, x});
  CHECK(onnx::map_axes({1, 8, 6}) == std::vector{c, c, x});
  CHECK(onnx::map_axes({8, 6}) == std::vector{c, x});
  CHECK(onnx::map_axes({1, 8}) == std::vector{c, c});
  CHECK(onnx::map_axes({8}) == std::vector{c});
  CHECK(onnx::map_axes({1, 3, 85, 4, 6}) == std::vector{c, c, c, y, x});
}

TEST_CASE("Chains of reshapes, transposes, slices, gathers and joins give the arrays' elements") {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Chain chain(random);
    for (int32_t step = random.between(1, 7); step > 0; --step) chain.step();
    const std::string file = chain.file();
    const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
    REQUIRE(model->outputs[0].dims == chain.expected().dims);
    REQUIRE(run_moves(*model, channels_last(chain.input())) == chain.expected().values);
  }
}
