#include "runtime/driver/canvas.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "partition/search/planner.hpp"
#include "runtime/protocol/load_plan.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

using networks::Random;

CanvasKey key_of(uint32_t tensor, uint64_t frame = 1, Place place = Place::home) {
  return {.frame = {.owner = {1}, .life = 1, .frame = frame},
          .place = place,
          .tensor = {tensor},
          .tile = {}};
}

Region box(Span y, Span x, Span c) { return {y, x, c}; }

// Element (y, x, c) of a map of 50 x 50 x 50, unique within 16 bits of its position.
float value_at(int32_t y, int32_t x, int32_t c) {
  return static_cast<float>((y * 50 + x) * 50 + c);
}

std::vector<float> filled(const Region& region) {
  std::vector<float> values;
  for (int32_t y = region.y.begin; y < region.y.end; ++y)
    for (int32_t x = region.x.begin; x < region.x.end; ++x)
      for (int32_t c = region.c.begin; c < region.c.end; ++c) values.push_back(value_at(y, x, c));
  return values;
}

Span span_within(Random& random, Span outer) {
  const int32_t begin = random.between(outer.begin, outer.end - 1);
  return {begin, random.between(begin + 1, outer.end)};
}
TEST_CASE("a copied box holds the source's elements, and nothing outside it changes") {
  const uint64_t seed = 42;
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 500; ++round) {
    const Region copied{span_within(random, {4, 9}), span_within(random, {4, 9}),
                        span_within(random, {4, 9})};
    const auto grow = [&](Span span) {
      return random.chance(0.5) ? span
                                : Span{random.between(0, span.begin), random.between(span.end, 12)};
    };
    const Region source{grow(copied.y), grow(copied.x), grow(copied.c)};
    const Region target{grow(copied.y), grow(copied.x), grow(copied.c)};
    const std::vector<float> from = filled(source);
    std::vector<float> to(static_cast<size_t>(target.elements()), -1.0F);
    copy_region({reinterpret_cast<const std::byte*>(from.data()), source, ElementType::f32},
                {reinterpret_cast<std::byte*>(to.data()), target, ElementType::f32}, copied);
    size_t i = 0;
    for (int32_t y = target.y.begin; y < target.y.end; ++y)
      for (int32_t x = target.x.begin; x < target.x.end; ++x)
        for (int32_t c = target.c.begin; c < target.c.end; ++c, ++i) {
          const bool inside = contains(copied, box({y, y + 1}, {x, x + 1}, {c, c + 1}));
          REQUIRE(to[i] == (inside ? value_at(y, x, c) : -1.0F));
        }
  }
}

TEST_CASE("bytes are copied from and to any address") {
  const Region region = box({0, 2}, {0, 3}, {0, 5});
  const std::vector<float> values = filled(region);
  std::vector<std::byte> wire(values.size() * 4 + 3);
  std::vector<float> back(values.size());
  copy_region({reinterpret_cast<const std::byte*>(values.data()), region, ElementType::f32},
              {wire.data() + 3, region, ElementType::f32}, region);
  copy_region({wire.data() + 3, region, ElementType::f32},
              {reinterpret_cast<std::byte*>(back.data()), region, ElementType::f32}, region);
  CHECK(back == values);
}

TEST_CASE("a canvas keeps its contents until it is released") {
  Canvases canvases;
  const Region region = box({0, 4}, {0, 4}, {0, 8});
  const TensorView view = canvases.open(key_of(3), region, ElementType::u8);
  std::memset(view.data, 7, static_cast<size_t>(region.elements()));
  CHECK(canvases.open(key_of(3), region, ElementType::u8).data == view.data);
  REQUIRE(canvases.find(key_of(3)) != nullptr);
  CHECK(canvases.find(key_of(3))->data[127] == std::byte{7});
  CHECK(canvases.find(key_of(4)) == nullptr);
  canvases.release(key_of(3));
  CHECK(canvases.find(key_of(3)) == nullptr);
  canvases.release(key_of(3));  // nothing happens
  CHECK(canvases.bytes() == 0);
}

TEST_CASE("canvases are aligned for vector kernels and counted in bytes") {
  Canvases canvases;
  const TensorView odd = canvases.open(key_of(0), box({0, 3}, {0, 3}, {0, 3}), ElementType::u8);
  const TensorView floats = canvases.open(key_of(1), box({5, 7}, {0, 3}, {0, 3}), ElementType::f32);
  CHECK(reinterpret_cast<uintptr_t>(odd.data) % 64 == 0);
  CHECK(reinterpret_cast<uintptr_t>(floats.data) % 64 == 0);
  CHECK(canvases.bytes() == 27 + 72);
  canvases.release(key_of(0));
  CHECK(canvases.bytes() == 72);
  CHECK(canvases.peak_bytes() == 99);
}

TEST_CASE("releasing a place of a frame leaves other places and frames alone") {
  Canvases canvases;
  const Region region = box({0, 1}, {0, 1}, {0, 1});
  for (uint64_t frame = 1; frame <= 3; ++frame)
    for (const Place place : {Place::frame, Place::home, Place::lent, Place::outcome})
      for (uint32_t tensor = 0; tensor < 2; ++tensor)
        canvases.open(key_of(tensor, frame, place), region, ElementType::u8);
  canvases.release_place(key_of(0, 2).frame, Place::home);
  CHECK(canvases.count() == 22);
  CHECK(canvases.find(key_of(0, 2, Place::home)) == nullptr);
  CHECK(canvases.find(key_of(1, 2, Place::home)) == nullptr);
  CHECK(canvases.find(key_of(1, 2, Place::frame)) != nullptr);
  CHECK(canvases.find(key_of(1, 1, Place::home)) != nullptr);

  std::vector<TensorId> visited;
  canvases.visit(key_of(0, 3).frame, Place::outcome,
                 [&](TensorId tensor, const TensorView&) { visited.push_back(tensor); });
  CHECK(visited == std::vector<TensorId>{{0}, {1}});
}

TEST_CASE("the next frame's canvases take the memory of the last one's") {
  Canvases canvases;
  const Region large = box({0, 64}, {0, 64}, {0, 16}), small = box({0, 8}, {0, 64}, {0, 16});
  const std::byte* first_large = canvases.open(key_of(0, 1), large, ElementType::f32).data;
  const std::byte* first_small = canvases.open(key_of(1, 1), small, ElementType::f32).data;
  const int64_t peak = canvases.peak_bytes();
  for (uint64_t frame = 2; frame < 50; ++frame) {
    canvases.release_place(key_of(0, frame - 1).frame, Place::home);
    // In another order than they were released.
    CHECK(canvases.open(key_of(1, frame), small, ElementType::f32).data == first_small);
    CHECK(canvases.open(key_of(0, frame), large, ElementType::f32).data == first_large);
    CHECK(canvases.peak_bytes() == peak);
  }
}

TEST_CASE("a shared canvas is its original's memory, and counts as a canvas of its own") {
  Canvases canvases;
  const Region region = box({0, 4}, {0, 4}, {0, 8});
  const CanvasKey original = key_of(0, 1, Place::frame), copy = key_of(0, 1, Place::home);
  const std::byte* memory = canvases.open(original, region, ElementType::f32).data;
  canvases.share(copy, original);
  REQUIRE(canvases.find(copy) != nullptr);
  CHECK(canvases.find(copy)->data == memory);
  CHECK(canvases.find(copy)->region == region);
  CHECK(canvases.bytes() == 2 * region.elements() * 4);
}

TEST_CASE("what is written into one of two shared canvases does not show in the other") {
  const Region region = box({0, 4}, {0, 4}, {0, 8});
  for (const bool write_copy : {false, true}) {
    CAPTURE(write_copy);
    Canvases canvases;
    const CanvasKey original = key_of(0, 1, Place::frame), copy = key_of(0, 1, Place::home);
    const auto bytes = static_cast<size_t>(region.elements());
    std::memset(canvases.open(original, region, ElementType::u8).data, 7, bytes);
    canvases.share(copy, original);
    const TensorView written = canvases.open(write_copy ? copy : original, region, ElementType::u8);
    CHECK(written.data[5] == std::byte{7});  // its contents came along
    std::memset(written.data, 9, bytes);
    CHECK(canvases.find(write_copy ? original : copy)->data[5] == std::byte{7});
    CHECK(canvases
              .open(written.data == canvases.find(copy)->data ? copy : original, region,
                    ElementType::u8)
              .data == written.data);  // it is alone now
  }
}

TEST_CASE("a shared canvas outlives its original") {
  for (const Spares spares : {Spares::kept, Spares::given_back}) {
    Canvases canvases(spares);
    const Region region = box({0, 4}, {0, 4}, {0, 8});
    const auto bytes = static_cast<size_t>(region.elements());
    std::memset(canvases.open(key_of(0, 1), region, ElementType::u8).data, 7, bytes);
    canvases.share(key_of(1, 1), key_of(0, 1));
    canvases.release(key_of(0, 1));
    // Memory that is still read must not be taken for another canvas.
    std::memset(canvases.open(key_of(2, 1), region, ElementType::u8).data, 9, bytes);
    CHECK(canvases.find(key_of(1, 1))->data[5] == std::byte{7});
    canvases.release_place(key_of(0, 1).frame, Place::home);
    CHECK(canvases.bytes() == 0);
    CHECK(canvases.count() == 0);
  }
}

TEST_CASE("memory of other sizes is given back before more is taken than was ever in use") {
  Canvases canvases;
  const uint64_t seed = 3;
  CAPTURE(seed);
  Random random(seed);
  for (uint64_t frame = 1; frame < 300; ++frame) {
    for (uint32_t tensor = 0; tensor < 4; ++tensor)
      canvases.open(key_of(tensor, frame), box({0, random.between(1, 40)}, {0, 32}, {0, 4}),
                    ElementType::f32);
    if (frame > 2) canvases.release_place(key_of(0, frame - 2).frame, Place::home);
    CHECK(canvases.held_bytes() <= canvases.peak_bytes());
  }
}

TEST_CASE("where nothing is kept, what is released is held no longer") {
  Canvases canvases(Spares::given_back);
  const Region region = box({0, 64}, {0, 64}, {0, 16});
  for (uint32_t tensor = 0; tensor < 3; ++tensor)
    canvases.open(key_of(tensor), region, ElementType::f32);
  canvases.release(key_of(1));
  CHECK(canvases.held_bytes() == 2 * region.elements() * 4);
  CHECK(canvases.find(key_of(2)) != nullptr);
  canvases.release_place(key_of(0).frame, Place::home);
  CHECK(canvases.held_bytes() == 0);
  CHECK(canvases.count() == 0);
  CHECK(canvases.peak_bytes() == 3 * region.elements() * 4);
}

TEST_CASE("a plan says which box each canvas holds, and has none for what does not exist") {
  const Result<Model> model = networks::make("tiny", 32);
  REQUIRE(model.ok());
  const Cluster cluster{{{.id = {1}}, {.id = {2}}}};
  const LoadedPlan plan = trusted_plan(
      *model, grid_plan(*model, cluster, {.cut_after = {}, .grid = {2, 2}, .granule = {}}));
  const TensorId input = model->inputs.front(), output = plan.outputs.front();
  const auto region = [&](uint32_t node, Place place, TensorId tensor, uint32_t tile = 0) {
    return canvas_region(plan, {node},
                         {.frame = {}, .place = place, .tensor = tensor, .tile = {tile}});
  };
  CHECK(region(1, Place::frame, input) == whole(model->at(input).shape));
  CHECK(region(1, Place::outcome, output) == whole(model->at(output).shape));
  const Tile& first = tile(plan.plan, {0});
  CHECK(contains(region(first.home.value, Place::home, input), first.inputs.front().region));
  CHECK(region(2, Place::lent, input) == first.inputs.front().region);
  CHECK(region(2, Place::lent, output) == first.outputs.front().region);
  CHECK(region(3, Place::home, input).empty());
  CHECK(region(1, Place::home, {9999}).empty());
  CHECK(region(1, Place::lent, input, 9999).empty());
}

}  // namespace
}  // namespace shingle
