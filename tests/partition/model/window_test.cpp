// Windows compared with brute force: every tap of every output is enumerated.
#include "partition/model/window.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

Window random_window(networks::Random& random) {
  return {.kernel = random.between(1, 7),
          .stride = random.between(1, 5),
          .dilation = random.between(1, 4),
          .pad_begin = random.between(0, 9),
          .pad_end = random.between(0, 9)};
}

std::string describe(const Window& w) {
  return "kernel " + std::to_string(w.kernel) + " stride " + std::to_string(w.stride) +
         " dilation " + std::to_string(w.dilation) + " pads " + std::to_string(w.pad_begin) + " " +
         std::to_string(w.pad_end);
}

Span random_part(networks::Random& random, int32_t size) {
  const int32_t begin = random.between(0, size - 1);
  return {begin, random.between(begin + 1, size)};
}

}  // namespace

TEST_CASE("a window's demand is exactly the hull of the inputs that its taps meet on the map") {
  networks::Random random(21);
  int wholly_padding = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Window window = random_window(random);
    const int32_t size = random.between(1, 24);
    const Span out =
        random_part(random, 12);  // includes outputs that a last window rounded up adds
    std::set<int32_t> reach, met;
    for (int32_t o = out.begin; o < out.end; ++o) {
      for (int32_t t = 0; t < window.kernel; ++t) {
        const int32_t i = o * window.stride - window.pad_begin + t * window.dilation;
        reach.insert(i);
        if (0 <= i && i < size) met.insert(i);
      }
    }
    const SpanDemand got = demand(window, out, size);
    CAPTURE(describe(window));
    CAPTURE(size);
    CAPTURE(to_string(out));
    REQUIRE(got.pad_before + got.span.size() + got.pad_after ==
            *reach.rbegin() + 1 - *reach.begin());
    if (met.empty()) {
      REQUIRE(got.span == Span{});
    } else {
      REQUIRE(got.span == Span{*met.begin(), *met.rbegin() + 1});
      REQUIRE(got.pad_before == got.span.begin - *reach.begin());
    }
    REQUIRE((got.pad_before >= 0 && got.pad_after >= 0));
    wholly_padding += met.empty();
  }
  CHECK(wholly_padding > 100);
}

TEST_CASE("the output size counts the places where the window fits") {
  networks::Random random(22);
  for (int trial = 0; trial < 5000; ++trial) {
    const Window window = random_window(random);
    const int32_t size = random.between(1, 30);
    int32_t places = 0;
    const int32_t length = window.pad_begin + size + window.pad_end;
    while (places * window.stride + (window.kernel - 1) * window.dilation + 1 <= length) ++places;
    CAPTURE(describe(window));
    REQUIRE(output_size(window, size) == places);
  }
}

TEST_CASE("a transposed convolution's demand is exactly the hull of the inputs that reach out") {
  networks::Random random(23);
  int none = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Window window = random_window(random);
    const int32_t size = random.between(1, 16);
    const Span out = random_part(random, 40);
    std::set<int32_t> inputs;
    for (int32_t i = 0; i < size; ++i) {
      for (int32_t t = 0; t < window.kernel; ++t) {
        const int32_t o = i * window.stride - window.pad_begin + t * window.dilation;
        if (out.begin <= o && o < out.end) inputs.insert(i);
      }
    }
    none += inputs.empty();
    const Span expected = inputs.empty() ? Span{} : Span{*inputs.begin(), *inputs.rbegin() + 1};
    CAPTURE(describe(window));
    CAPTURE(size);
    CAPTURE(to_string(out));
    REQUIRE(transposed_demand(window, out, size) == expected);
  }
  CHECK(none > 100);
}

TEST_CASE("windows of the largest sizes do not overflow") {
  const Window window{.kernel = 2, .stride = 1 << 20, .dilation = 1 << 20, .pad_begin = 1 << 20};
  const int32_t size = 1 << 30, last = size - (1 << 20);
  CHECK(demand(window, {1 << 10, (1 << 10) + 1}, size).span == Span{last, last + 1});
  CHECK(demand(window, {1 << 12, (1 << 12) + 1}, size) == SpanDemand{{}, 0, (1 << 20) + 1});
  CHECK(transposed_demand(window, {0, 1 << 30}, 1 << 30) == Span{0, 1 << 10 | 1});
}

TEST_CASE("tiles of a stride-2 convolution read twice their rows and the halo once") {
  // DeepThings scaled a stride-2 tile's rows without the window's own reach.
  const Window window{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  CHECK(demand(window, {0, 4}, 16) == SpanDemand{{0, 8}, 1, 0});
  CHECK(demand(window, {4, 8}, 16) == SpanDemand{{7, 16}, 0, 0});
}

TEST_CASE("a 2x2 pool of stride 1 has a halo of one row behind its tile") {
  // Tiny YOLO's sixth pool: 13 rows in, 13 out. DeepThings gave it no halo.
  const Window window{.kernel = 2, .stride = 1, .dilation = 1, .pad_begin = 0, .pad_end = 1};
  REQUIRE(output_size(window, 13) == 13);
  CHECK(demand(window, {0, 7}, 13) == SpanDemand{{0, 8}, 0, 0});
  CHECK(demand(window, {7, 13}, 13) == SpanDemand{{7, 13}, 0, 1});
}

TEST_CASE("uneven grids give no inverted tile through a chain of windows") {
  // DeepThings' rounding inverted the last tile of 19 rows in 6 and of 7 rows in 5.
  const Window conv{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const Window pool{.kernel = 2, .stride = 2};
  for (const auto& [rows, tiles] : {std::pair{19, 6}, std::pair{7, 5}}) {
    Span covered{};
    for (int32_t tile = 0; tile < tiles; ++tile) {
      const Span out{tile * rows / tiles, (tile + 1) * rows / tiles};
      const Span middle = demand(conv, out, rows).span;
      const Span in = demand(pool, middle, rows * 2).span;
      CHECK(contains(Region{in, {0, 1}, {0, 1}},
                     Region{{out.begin * 2, out.end * 2}, {0, 1}, {0, 1}}));
      CHECK(in.size() == 2 * middle.size());
      covered = hull(covered, in);
    }
    CHECK(covered == Span{0, rows * 2});
  }
}
