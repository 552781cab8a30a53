#include "devices/pass/pass_stages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/networks/networks.hpp"

namespace shingle::tests {

namespace {

using networks::Random;

std::vector<StagedMap> random_maps(Random& random, size_t count) {
  std::vector<StagedMap> maps(count);
  for (size_t i = 0; i < count; ++i) {
    const auto last = static_cast<int32_t>(count - 1), own = static_cast<int32_t>(i);
    const int32_t far = random.chance(0.2) ? last : std::min(last, own + 2);
    maps[i].whole = random.between(1, 100);
    maps[i].in_strips = random.between(1, static_cast<int32_t>(maps[i].whole));
    maps[i].kept = random.chance(0.2) ? random.between(1, 50) : 0;
    maps[i].last_reader = static_cast<size_t>(random.between(own, far));
  }
  return maps;
}

// Map by map, as the header says it.
int64_t bytes_in(const std::vector<StagedMap>& maps, const std::vector<size_t>& stages,
                 size_t stage) {
  int64_t bytes = 0;
  for (size_t i = 0; i < maps.size(); ++i) {
    const size_t made = stages[i], read = stages[maps[i].last_reader];
    if (made == stage) bytes += maps[i].kept;
    if (made == stage && read == stage) bytes += maps[i].in_strips;
    if (made <= stage && read >= stage && made != read) bytes += maps[i].whole;
  }
  return bytes;
}

struct Held {
  int64_t fullest = 0, together = 0;
  auto operator<=>(const Held&) const = default;
};

Held held_in(const std::vector<StagedMap>& maps, const std::vector<size_t>& stages) {
  Held held;
  for (size_t stage = 0; stage <= stages.back(); ++stage) {
    const int64_t bytes = bytes_in(maps, stages, stage);
    held.fullest = std::max(held.fullest, bytes);
    held.together += bytes;
  }
  return held;
}

// Bit i: a stage begins with step i + 1.
std::vector<size_t> stages_of(uint32_t borders, size_t count) {
  std::vector<size_t> stages{0};
  for (size_t i = 0; i + 1 < count; ++i) stages.push_back(stages.back() + (borders >> i & 1U));
  return stages;
}

}  // namespace

TEST_CASE("Stages: no division has a smaller fullest stage, or as small a one and a smaller sum") {
  std::set<size_t> counts;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const auto count = static_cast<size_t>(random.between(1, 10));
    const std::vector<StagedMap> maps = random_maps(random, count);
    const std::vector<size_t> chosen = divide_into_stages(maps);
    REQUIRE(chosen.size() == count);
    const Held held = held_in(maps, chosen);
    for (uint32_t borders = 0; borders < 1U << (count - 1); ++borders) {
      CHECK(held_in(maps, stages_of(borders, count)) >= held);
    }
    counts.insert(chosen.back() + 1);
  }
  CHECK(counts.size() > 4);
}

TEST_CASE("Stages: wide maps between narrow ones are in use one after the other") {
  // narrow - wide - narrow - wide - narrow
  const StagedMap narrow{.whole = 100, .in_strips = 30}, wide{.whole = 400, .in_strips = 150};
  std::vector<StagedMap> maps{narrow, wide, narrow, wide, narrow};
  for (size_t i = 0; i < maps.size(); ++i) maps[i].last_reader = std::min(i + 1, maps.size() - 1);
  CHECK(divide_into_stages(maps) == std::vector<size_t>{0, 0, 0, 1, 1});
}

TEST_CASE("Stages: large maps stay in one, so that none is whole") {
  std::vector<StagedMap> maps(6, {.whole = 1000, .in_strips = 10});
  for (size_t i = 0; i < maps.size(); ++i) maps[i].last_reader = std::min(i + 1, maps.size() - 1);
  CHECK(divide_into_stages(maps) == std::vector<size_t>(6, 0));
}

}  // namespace shingle::tests
