// How long a board needs for a tile: measured, or by its profile and its memory.
#include "sim/device/tile_time.hpp"

#include <doctest/doctest.h>

#include "partition/deepthings/ftp_darknet.hpp"

using namespace shingle;
using namespace shingle::sim;
using namespace std::chrono_literals;

namespace {

const Model& block() {
  static const Model model = yolov2_block();
  return model;
}

// The whole of one layer.
TileProgram program_of(uint32_t layer) {
  TileProgram program;
  program.steps.push_back(whole_program(block(), WinogradUse::never).steps[layer]);
  return program;
}

DeviceProfile profile() {
  DeviceProfile profile;
  profile.cores = 4;
  profile.speedup = 4.0;
  profile.costs = paced_profile(8.0);  // 0.25 ns per MAC
  return profile;
}

DeviceSpec board(int64_t cache_bytes) {
  DeviceSpec spec;
  spec.cores = 4;
  spec.memory_gbps = 2.0;
  spec.cache_bytes = cache_bytes;
  return spec;
}

constexpr uint32_t deep = 14;  // 3x3, 256 to 512 channels at 38x38: 1.7 GMAC, 4.7 MB of weights

}  // namespace

TEST_CASE("a tile takes what the profile says, of which its weights' and maps' bytes are memory") {
  const TileTimes times(board(16 << 20), profile(), 4);
  const TileWork work = times.work(block(), program_of(deep));
  const double weights = 4.0 * 256 * 512 * 9;
  CHECK(work.dram_bytes == weights);  // the maps fit the cache
  CHECK(in_nanoseconds(work.memory) == doctest::Approx(weights / 2.0));
  CHECK(in_nanoseconds(total(work)) ==
        doctest::Approx(38.0 * 38 * 256 * 512 * 9 * 0.25 + 20'000.0));
  CHECK(work.cores == 4);
  const TileTimes without_cache(board(0), profile(), 4);
  CHECK(without_cache.work(block(), program_of(deep)).dram_bytes ==
        weights + 4.0 * 38 * 38 * (256 + 512));
}

TEST_CASE("a layer that its formula says nothing of takes the time of its bytes") {
  const TileTimes times(board(0), profile(), 4);
  const TileWork pool = times.work(block(), program_of(1));  // 608x608x32 in, a quarter out
  CHECK(in_nanoseconds(pool.memory) == doctest::Approx(4.0 * 608 * 608 * 32 * 1.25 / 2.0));
  CHECK(pool.compute == 0ns);
}

TEST_CASE("fewer cores take longer") {
  const TileTimes one(board(0), profile(), 1), all(board(0), profile(), 4);
  CHECK(in_nanoseconds(total(one.work(block(), program_of(deep)))) ==
        doctest::Approx(4.0 * in_nanoseconds(total(all.work(block(), program_of(deep))))));
}

TEST_CASE("a measured tile takes what was measured, another one does not") {
  TileTimes times(board(0), profile(), 4);
  const uint64_t key = tile_key(block(), program_of(deep));
  times.measured(key, 500ms);
  CHECK(total(times.work(block(), program_of(deep))) == 500ms);
  CHECK(times.is_measured(block(), program_of(deep)));
  CHECK(!times.is_measured(block(), program_of(12)));
  CHECK(tile_key(block(), program_of(12)) != key);
  TileProgram smaller = program_of(deep);
  smaller.steps[0].output.y.end -= 1;
  CHECK(tile_key(block(), smaller) != key);
}

TEST_CASE("a measured tile that is faster than its bytes moves fewer of them") {
  TileTimes times(board(0), profile(), 4);
  times.measured(tile_key(block(), program_of(1)), 1ms);
  const TileWork work = times.work(block(), program_of(1));
  CHECK(total(work) == 1ms);
  CHECK(work.dram_bytes == doctest::Approx(2e6));
}
