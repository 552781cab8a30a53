// What slow decodes are made of: by index, in double precision, over every class, corners instead
// of centres.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "apps/heads/head.hpp"

namespace shingle::testing {

struct Slow {
  int class_id = -1;
  double score = 0, left = 0, top = 0, right = 0, bottom = 0;
};

inline void compare(const Detections& found, const std::vector<Slow>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].class_id == expected[i].class_id);
    CHECK(found[i].score == doctest::Approx(expected[i].score).epsilon(1e-5));
    CHECK(found[i].box.x == doctest::Approx(expected[i].left).epsilon(1e-3));
    CHECK(found[i].box.y == doctest::Approx(expected[i].top).epsilon(1e-3));
    CHECK(found[i].box.x + found[i].box.w == doctest::Approx(expected[i].right).epsilon(1e-3));
    CHECK(found[i].box.y + found[i].box.h == doctest::Approx(expected[i].bottom).epsilon(1e-3));
  }
}

inline Detections boxes(const Head& head, const Clues& clues, Values values, float min_score) {
  REQUIRE(head.claim(clues).has_value());
  return std::get<DecodeBoxes>(head.decode)(clues, values, min_score);
}

inline Slow centred(double cx, double cy, double w, double h) {
  return {-1, 0, cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2};
}

// The best of `classes` scores; the first of equals.
inline void choose(Slow& slow, int classes, const std::function<double(int)>& score) {
  for (int c = 0; c < classes; ++c)
    if (slow.class_id < 0 || score(c) > slow.score) slow.score = score(c), slow.class_id = c;
}

inline double logistic(double v) { return 1 / (1 + std::exp(-v)); }

}  // namespace shingle::testing
