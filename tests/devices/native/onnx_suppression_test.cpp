// NonMaxSuppression and NonZero, held against plain searches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/devices/native/counted_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

struct Suppressing {
  int64_t pictures = 1, boxes = 60, classes = 3, most = 5;
  double overlap = 0.4;
  std::optional<double> score = std::nullopt;
  bool centers = false;
};

struct Edges {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

// The input is the boxes, then the scores.
struct Oracle {
  const Suppressing& how;
  const Array& input;

  double box(int64_t picture, int64_t index, int64_t i) const {
    return input.at({(picture * how.boxes + index) * 4 + i});
  }
  double score(int64_t picture, int64_t of_class, int64_t index) const {
    const int64_t first = how.pictures * how.boxes * 4;
    return input.at({first + (picture * how.classes + of_class) * how.boxes + index});
  }
  Edges edges(int64_t picture, int64_t index) const {
    const double a = box(picture, index, 0), b = box(picture, index, 1), c = box(picture, index, 2),
                 d = box(picture, index, 3);
    if (how.centers) return {b - d / 2.0, a - c / 2.0, b + d / 2.0, a + c / 2.0};
    return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
  }
  bool overlap(int64_t picture, int64_t a, int64_t b) const {
    const Edges first = edges(picture, a), second = edges(picture, b);
    const double height = std::min(first.bottom, second.bottom) - std::max(first.top, second.top);
    const double width = std::min(first.right, second.right) - std::max(first.left, second.left);
    if (height <= 0.0 || width <= 0.0) return false;
    const double both = height * width;
    return both / (first.area() + second.area() - both) > how.overlap;
  }

  Array rows() const {
    Array rows{{0, 3}, {}};
    for (int64_t picture = 0; picture < how.pictures; ++picture)
      for (int64_t of_class = 0; of_class < how.classes; ++of_class) add(rows, picture, of_class);
    return rows;
  }

  void add(Array& rows, int64_t picture, int64_t of_class) const {
    std::vector<int64_t> order, kept;
    for (int64_t index = 0; index < how.boxes; ++index)
      if (!how.score || score(picture, of_class, index) > *how.score) order.push_back(index);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      return score(picture, of_class, a) > score(picture, of_class, b);
    });
    for (const int64_t index : order) {
      const bool hidden = std::ranges::any_of(
          kept, [&](int64_t better) { return overlap(picture, better, index); });
      if (hidden || std::ssize(kept) == how.most) continue;
      kept.push_back(index);
      for (const int64_t number : {picture, of_class, index})
        rows.values.push_back(static_cast<float>(number));
      ++rows.dims[0];
    }
  }
};

Array boxes_and_scores(const Suppressing& how, uint64_t seed) {
  const int64_t boxes = how.pictures * how.boxes * 4;
  Array input = random_array({boxes + how.pictures * how.classes * how.boxes}, seed);
  if (!how.centers) return input;
  for (int64_t i = 2; i < boxes; i += 4)  // sides are not negative
    for (const int64_t side : {i, i + 1})
      input.values[static_cast<size_t>(side)] = std::abs(input.values[static_cast<size_t>(side)]);
  return input;
}

std::string suppression(OnnxGraph& graph, const Suppressing& how) {
  const Dims boxes{how.pictures, how.boxes, 4}, scores{how.pictures, how.classes, how.boxes};
  std::vector<std::string> operands{
      part_of_input(graph, boxes, 0), part_of_input(graph, scores, how.pictures * how.boxes * 4),
      graph.integers({how.most}), graph.floats({1}, {static_cast<float>(how.overlap)})};
  if (how.score) operands.push_back(graph.floats({1}, {static_cast<float>(*how.score)}));
  return graph.node("NonMaxSuppression", operands,
                    {{"center_point_box", int64_t{how.centers ? 1 : 0}}});
}

void check_suppression(const Suppressing& how) {
  for (const uint64_t seed : {1, 2, 3}) {
    const Array input = boxes_and_scores(how, seed);
    OnnxGraph graph;
    const Array rows = run_counted(graph, suppression(graph, how), input);
    const Array expected = Oracle{how, input}.rows();
    CHECK(rows.dims == expected.dims);
    CHECK(rows.values == expected.values);
  }
}

}  // namespace

TEST_CASE("Boxes are selected as by a plain search, whichever of their corners comes first") {
  check_suppression({});
  check_suppression({.most = 1});
  check_suppression({.overlap = 0.0});
  check_suppression({.overlap = 1.0, .score = 0.9});
  check_suppression({.pictures = 2, .classes = 2, .most = 1000, .score = 0.0});
  check_suppression({.boxes = 1, .classes = 4, .most = 1});
  check_suppression({.boxes = 1600, .classes = 1, .most = 1600, .overlap = 0.1});
}

TEST_CASE("Boxes may be given by their middles") {
  check_suppression({.centers = true});
  check_suppression({.score = 0.2, .centers = true});
}

TEST_CASE("Of equal scores the first box is the better one, and NaN selects nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Suppressing how{.boxes = 6, .classes = 1, .most = 6};
  Array input{{30}, {}};
  for (int i = 0; i < 6; ++i)  // 0, 2 and 4 lie on one place, the others on another
    for (const float edge : {0.0F, 0.0F, 1.0F, 1.0F})
      input.values.push_back(edge + (i % 2 == 0 ? 0.0F : 5.0F));
  for (const float score : {nan, nan, 0.5F, 0.5F, 0.5F, 0.5F}) input.values.push_back(score);
  OnnxGraph graph;
  const Array rows = run_counted(graph, suppression(graph, how), input);
  CHECK(rows.dims == Dims{2, 3});
  CHECK(rows.values == std::vector<float>{0, 0, 2, 0, 0, 3});
}

TEST_CASE("A picture without objects gives no row") {
  const Suppressing how{.boxes = 9, .score = 2.0};
  OnnxGraph graph;
  const Array rows = run_counted(graph, suppression(graph, how), boxes_and_scores(how, 1));
  CHECK(rows.dims == Dims{0, 3});
  CHECK(rows.values.empty());
}

TEST_CASE("The places of elements that are not 0 are found in the order of the file") {
  const Dims all[] = {{7}, {4, 5}, {2, 3, 4}, {1, 3, 4, 5}, {2, 2, 1, 3, 2}};
  for (const Dims& dims : all) {
    CAPTURE(dims.size());
    Array input = random_array(dims, dims.size());
    for (float& value : input.values) value = value < 0.1F ? 0.0F : value;
    Array expected{{std::ssize(dims), 0}, {}};
    for_each_index(dims, [&](const Dims& index) { expected.dims[1] += input.at(index) != 0.0; });
    for (size_t dim = 0; dim < dims.size(); ++dim)
      for_each_index(dims, [&](const Dims& index) {
        if (input.at(index) != 0.0) expected.values.push_back(static_cast<float>(index[dim]));
      });
    OnnxGraph graph;
    const Array flat{{std::ssize(input.values)}, input.values};
    const Array places =
        run_counted(graph, graph.node("NonZero", {part_of_input(graph, dims, 0)}), flat);
    CHECK(places.dims == expected.dims);
    CHECK(places.values == expected.values);
  }
}

}  // namespace shingle::tests
