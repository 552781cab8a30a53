// The ends of exported detectors that suppress in the graph, held against a decode written for the
// test. Scores are spread, so that thresholds, suppression and limits all decide something.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/devices/native/counted_runs.hpp"
#include "tests/networks/detector_tails.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;
using networks::TailOptions;

// The input is the corners of the boxes, then the scores of each box.
struct Scene {
  const TailOptions& options;
  int64_t columns;  // of the scores
  Array input;

  double corner(int64_t box, int64_t i) const { return input.at({box * 4 + i}); }
  double score(int64_t box, int64_t column) const {
    return input.at({options.anchors * 4 + box * columns + column});
  }
  double overlap(int64_t a, int64_t b) const {
    const auto length = [&](int64_t axis) {
      return std::max(0.0, std::min(corner(a, axis + 2), corner(b, axis + 2)) -
                               std::max(corner(a, axis), corner(b, axis)));
    };
    const auto area = [&](int64_t box) {
      return (corner(box, 2) - corner(box, 0)) * (corner(box, 3) - corner(box, 1));
    };
    const double both = length(0) * length(1);
    return both / (area(a) + area(b) - both);
  }
};

Scene scene(const TailOptions& options, int64_t columns, uint64_t seed) {
  Scene result{options, columns, {}};
  networks::Random random(seed);
  for (int64_t box = 0; box < options.anchors; ++box) {
    const float x = random.uniform(0.0F, 500.0F), y = random.uniform(0.0F, 500.0F);
    const float w = random.uniform(20.0F, 140.0F), h = random.uniform(20.0F, 140.0F);
    for (const float corner : {x, y, x + w, y + h}) result.input.values.push_back(corner);
  }
  for (int64_t i = 0; i < options.anchors * columns; ++i)
    result.input.values.push_back(random.uniform(0.0F, 1.0F));
  result.input.dims = {std::ssize(result.input.values)};
  return result;
}

struct Found {
  int64_t box, of_class;
  double score;
};

// Those of `candidates` that overlap no better one of their class, the best `most` of them.
std::vector<Found> settled(const Scene& scene, std::vector<Found> candidates) {
  std::ranges::stable_sort(candidates, [](auto& a, auto& b) { return a.score > b.score; });
  std::vector<Found> kept;
  for (const Found& found : candidates) {
    const auto hides = [&](const Found& better) {
      return better.of_class == found.of_class &&
             scene.overlap(better.box, found.box) > static_cast<double>(scene.options.max_overlap);
    };
    if (std::ssize(kept) < scene.options.most && std::ranges::none_of(kept, hides))
      kept.push_back(found);
  }
  return kept;
}

void check_ultralytics(const TailOptions& options, size_t least, size_t most) {
  const Scene scene = tests::scene(options, options.classes, 7);
  std::vector<Found> candidates;
  for (int64_t box = 0; box < options.anchors; ++box) {
    Found best{box, 0, scene.score(box, 0)};
    for (int64_t of_class = 1; of_class < options.classes; ++of_class)
      if (scene.score(box, of_class) > best.score)
        best = {box, of_class, scene.score(box, of_class)};
    if (best.score > static_cast<double>(options.min_score)) candidates.push_back(best);
  }
  const std::vector<Found> expected = settled(scene, candidates);
  CHECK(expected.size() >= least);
  CHECK(expected.size() <= most);

  OnnxGraph graph;
  const std::string boxes = part_of_input(graph, {1, options.anchors, 4}, 0);
  const std::string scores =
      part_of_input(graph, {1, options.anchors, options.classes}, options.anchors * 4);
  const Array rows =
      run_counted(graph, networks::ultralytics_tail(graph, boxes, scores, options), scene.input);
  REQUIRE(rows.dims == Dims{1, options.most, 6});
  int64_t wrong = 0;
  for (int64_t row = 0; row < options.most; ++row) {
    const bool there = row < std::ssize(expected);
    for (int64_t i = 0; i < 6; ++i) {
      double wanted = 0.0;
      if (there) {
        const Found& found = expected[static_cast<size_t>(row)];
        wanted = i < 4    ? scene.corner(found.box, i)
                 : i == 4 ? found.score
                          : static_cast<double>(found.of_class);
      }
      wrong += rows.at({0, row, i}) != wanted ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

void check_torchvision(const TailOptions& options, size_t least, size_t most) {
  const Scene scene = tests::scene(options, options.classes + 1, 9);
  std::vector<Found> candidates;
  for (int64_t label = 1; label <= options.classes; ++label) {
    std::vector<Found> of_class;
    for (int64_t box = 0; box < options.anchors; ++box)
      if (scene.score(box, label) > static_cast<double>(options.min_score))
        of_class.push_back({box, label, scene.score(box, label)});
    std::ranges::stable_sort(of_class, [](auto& a, auto& b) { return a.score > b.score; });
    of_class.resize(std::min(of_class.size(), static_cast<size_t>(options.candidates)));
    candidates.insert(candidates.end(), of_class.begin(), of_class.end());
  }
  const std::vector<Found> expected = settled(scene, candidates);
  CHECK(expected.size() >= least);
  CHECK(expected.size() <= most);

  OnnxGraph graph;
  const std::string boxes = part_of_input(graph, {options.anchors, 4}, 0);
  const std::string scores =
      part_of_input(graph, {options.anchors, options.classes + 1}, options.anchors * 4);
  networks::torchvision_tail(graph, boxes, scores, options);
  const std::vector<Array> all = run_counted(graph, {"boxes", "scores", "labels"}, scene.input);
  Array wanted_boxes{{std::ssize(expected), 4}, {}}, wanted_scores{{std::ssize(expected)}, {}},
      wanted_labels{{std::ssize(expected)}, {}};
  for (const Found& found : expected) {
    for (int64_t i = 0; i < 4; ++i)
      wanted_boxes.values.push_back(static_cast<float>(scene.corner(found.box, i)));
    wanted_scores.values.push_back(static_cast<float>(found.score));
    wanted_labels.values.push_back(static_cast<float>(found.of_class));
  }
  const Array* wanted[] = {&wanted_boxes, &wanted_scores, &wanted_labels};
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].dims == wanted[i]->dims);
    CHECK(all[i].values == wanted[i]->values);
  }
}

}  // namespace

TEST_CASE("The end of an Ultralytics export with nms=True gives the boxes of a plain decode") {
  check_ultralytics({.anchors = 400, .classes = 5, .min_score = 0.9F, .most = 300}, 80, 299);
  check_ultralytics({.anchors = 400, .classes = 5, .min_score = 0.9F, .most = 20}, 20, 20);
  check_ultralytics({.anchors = 200, .classes = 1, .min_score = 0.5F, .most = 200}, 20, 199);
}

TEST_CASE("The end of an Ultralytics export gives zeros where nothing is found") {
  check_ultralytics({.anchors = 50, .classes = 3, .min_score = 2.0F, .most = 30}, 0, 0);
}

TEST_CASE("The end of torchvision's SSD gives the boxes of a plain decode") {
  check_torchvision({.anchors = 300, .classes = 4, .min_score = 0.8F, .candidates = 40}, 100, 160);
  check_torchvision({.anchors = 300, .classes = 4, .min_score = 0.8F, .most = 50}, 50, 50);
  check_torchvision({.anchors = 60, .classes = 12, .min_score = 0.9F}, 20, 300);
}

TEST_CASE("The end of torchvision's SSD gives no rows where nothing is found") {
  check_torchvision({.anchors = 60, .classes = 3, .min_score = 2.0F}, 0, 0);
}

}  // namespace shingle::tests
