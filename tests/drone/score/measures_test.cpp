// The measures, worked out by hand on sequences of a few boxes; TrackEval's own figures are held
// against in trackeval_test.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "apps/drone/score/counting.hpp"
#include "apps/drone/score/scores.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

MotRow row(uint32_t frame, int64_t id, double x, int class_id = 1, double score = 1.0) {
  return {.frame = frame,
          .id = id,
          .box = {x, 0.0, 10.0, 10.0},
          .score = score,
          .class_id = class_id,
          .line = frame};
}

Result<Sequence> sequence(const std::vector<MotRow>& truth, const std::vector<MotRow>& found,
                          CountingRules rules) {
  return sequence_of({"truth.txt", truth}, {"found.txt", found}, rules);
}

Scores scored(const std::vector<MotRow>& truth, const std::vector<MotRow>& found,
              CountingRules rules) {
  const auto made = sequence(truth, found, rules);
  REQUIRE(made);
  return scores_of(*made);
}

}  // namespace

TEST_CASE("one switch in four frames") {
  const std::vector<MotRow> truth{row(1, 5, 0), row(2, 5, 0), row(3, 5, 0), row(4, 5, 0)};
  const std::vector<MotRow> found{row(1, 1, 0), row(2, 1, 0), row(3, 2, 0), row(4, 2, 0)};
  const Scores scores = scored(truth, found, {.frames = 4});
  CHECK(scores.clear.hits == 4);
  CHECK(scores.clear.switches == 1);
  CHECK(scores.clear_figures().mota == 0.75);
  CHECK(scores.identity.hits == 2);
  CHECK(figures_of(scores.identity).f1 == 0.5);
  // Each hit: 2 boxes in common, of 4 + 2 - 2.
  CHECK(figures_of(scores.hota[0]).association == 0.5);
  CHECK(mean_figures(scores.hota).hota == doctest::Approx(std::sqrt(0.5)));
}

TEST_CASE("a pair is kept although another box overlaps more") {
  const std::vector<MotRow> truth{row(1, 5, 0), row(2, 5, 0)};
  const std::vector<MotRow> found{row(1, 1, 0), row(2, 1, 2), row(2, 2, 0)};
  const Scores scores = scored(truth, found, {.frames = 2});
  CHECK(scores.clear.switches == 0);
  CHECK(scores.clear.false_boxes == 1);
  CHECK(scores.clear.overlap_sum == doctest::Approx(1.0 + 8.0 / 12.0));
}

TEST_CASE("mot17 leaves out boxes on distractors, and other classes' truth") {
  const std::vector<MotRow> truth{row(1, 1, 0), row(1, 2, 50, 8), row(1, 3, 100, 3)};
  const std::vector<MotRow> found{row(1, 1, 0), row(1, 2, 50), row(1, 3, 100)};
  const Scores scores = scored(truth, found, {.benchmark = Benchmark::mot17, .frames = 1});
  CHECK(scores.clear.hits == 1);
  CHECK(scores.clear.misses == 0);
  CHECK(scores.clear.false_boxes == 1);  // the car: MOT17 calls no car a distractor
}

TEST_CASE("visdrone leaves out what lies in its regions, on both sides") {
  const auto region = [](double x, double width) {
    return MotRow{.frame = 1, .id = 0, .box = {x, 0.0, width, 10.0}, .class_id = 0, .line = 9};
  };
  // Two regions cover the box at 50 by a half together, each alone by less.
  const std::vector<MotRow> truth{row(1, 1, 0, 4), row(1, 2, 50, 4), region(50, 3),
                                  region(52, 3),   region(200, 30),  row(1, 3, 100, 3)};
  const std::vector<MotRow> found{row(1, 1, 0), row(1, 2, 50), row(1, 3, 210), row(1, 4, 100),
                                  row(1, 5, 300)};
  const Scores scores = scored(truth, found, {.benchmark = Benchmark::visdrone, .frames = 1});
  CHECK(scores.clear.hits == 1);
  CHECK(scores.clear.misses == 0);
  CHECK(scores.clear.false_boxes == 1);  // at 300 alone: 100 is a bicycle, a distractor
}

TEST_CASE("unmatched boxes in ignored regions do not count, matched ones do") {
  const std::vector<MotRow> truth{row(1, 1, 0), row(2, 1, 0)};
  const std::vector<MotRow> found{row(1, 1, 0), row(1, 2, 4), row(2, 1, 0), row(2, 2, 40)};
  MotRow ignored = row(0, 0, 0);
  ignored.frame = 0;
  const std::vector<MotRow> all_frames{ignored};
  const Scores with = scored(truth, found, {.frames = 2, .ignored = all_frames});
  CHECK(with.clear.hits == 2);
  CHECK(with.clear.false_boxes == 1);  // at 40, outside; the one at 4 lies inside by 6 tenths
  CHECK(scored(truth, found, {.frames = 2}).clear.false_boxes == 2);
}

TEST_CASE("a box on a true one that is left out does not count either where a region says so") {
  MotRow hidden = row(1, 2, 100);
  hidden.score = 0.0;
  const std::vector<MotRow> truth{row(1, 1, 0), hidden};
  const std::vector<MotRow> found{row(1, 1, 0), row(1, 2, 100)};
  const std::vector<MotRow> regions{row(1, 0, 100)};
  CHECK(scored(truth, found, {.frames = 1, .ignored = regions}).clear.false_boxes == 0);
  CHECK(scored(truth, found, {.frames = 1}).clear.false_boxes == 1);  // as in TrackEval
}

TEST_CASE("an id that is twice in a frame is refused, and a frame after the end") {
  const std::vector<MotRow> good{row(1, 1, 0)};
  const std::vector<MotRow> twice{row(1, 1, 0), row(1, 1, 50)};
  const std::vector<MotRow> late{row(3, 1, 0)};
  CHECK(sequence(good, twice, {.frames = 1}).error() ==
        "'found.txt' line 1 has the id 1 a second time in frame 1");
  CHECK(sequence(late, good, {.frames = 2}).error() ==
        "'truth.txt' line 3 has the frame 3 of a video of 2 frames");
}

TEST_CASE("nothing against nothing has no misses and no ratios") {
  const Scores scores = scored({}, {}, {.frames = 3});
  CHECK(scores.clear.misses == 0);
  CHECK(scores.clear_figures().mota == 0.0);
  CHECK(mean_figures(scores.hota).localisation == doctest::Approx(1.0));
}
