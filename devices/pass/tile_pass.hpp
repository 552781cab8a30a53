// TilePass: a tile's program as an executor with an arena runs it: which runner computes each step,
// in which strips of rows, and where each tensor lives.
//
//   windows ---> [ arena: rows of maps, bytes shared by those that never live together ] --->
//   outputs
//
// A map in the arena is whole, or holds the few rows that somebody still wants: in a ring where
// only runners that take rings read and write it (devices/executor/rows.hpp); else they move to the
// front when the next strip would not fit behind them.
#pragma once

#include <optional>
#include <vector>

#include "devices/layers/layer_runner.hpp"
#include "devices/pass/fuse_steps.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// Where a tensor lives during the pass.
struct TensorPlace {
  enum class Kind : uint8_t { absent, input, constant, arena, output };
  Kind kind = Kind::absent;  // absent: nothing of it is read
  size_t index = 0;          // of the program's input or output
  TensorId tensor;
  PaddedBox stored{};  // arena
  Region held{};       // what of it is computed; arena
  int32_t rows = 0;    // of the box, as many as are stored at once; arena
  bool ring = false;   // a row that is wanted no more gives its place to the one `rows` after it
  int64_t offset = 0;  // arena, in bytes
  // Strips of the pass between which its bytes are its own, both included; arena.
  size_t first_strip = 0, last_strip = 0;
};

int64_t bytes_of(const TensorPlace& place);  // of the arena

struct PassStep {
  LayerId layer;
  Algorithm algorithm = Algorithm::direct;
  LayerRunner* runner = nullptr;          // never null; whoever prepared the pass owns it
  std::optional<LayerId> pool, addition;  // computed with it
  Region region;                          // to compute, of the last layer's map
  Region held;                            // what of input 0 holds values that the region needs
  std::vector<size_t> inputs;             // places: the layer's, then the map that is added
  size_t output = 0;                      // place
  bool padded = false;                    // input 0 is stored as the runner wants it
  bool own_memory = false;          // input 0 lies in the arena, which may be read past its end
  std::optional<size_t> copied_to;  // program output that gets a copy
};

// What the step reads of input `input` (as in PassStep::inputs) to compute `region`.
Region read_by(const Model& model, const PassStep& step, size_t input, const Region& region);

// Plans have many strips on many nodes, hence the small index.
struct PassStrip {
  uint32_t step = 0;
  Span rows;
  int32_t first_row = 0;  // of the output's place from now on
  Span moved;             // rows that move to its front before
  Span held;              // rows of the step's input 0 that it reads
};

struct TilePass {
  TileProgram program;
  std::vector<TensorPlace> places;
  std::vector<PassStep> steps;
  std::vector<PassStrip> strips;
  int64_t arena_bytes = 0;
};

struct PassOptions {
  // Rows of a Winograd layer's strip hold at least this many pixels, so that weights are not
  // transformed too often; half of it is enough for the others. None: every step computes all of
  // its rows at once.
  std::optional<int64_t> strip_pixels;
  // Strips hold more rows than that where they would do less work.
  int64_t strip_macs = 0;
  // Where the maps would take more than this, strips become lower, deep layers run in strips too,
  // and maps with late readers are computed twice, until they fit or nothing helps. No bit changes.
  int64_t most_bytes = int64_t{64} << 20;
};

// For our own kernels. Strips of 512 pixels hold 32 of Winograd's groups: from about 25 on,
// transforming a layer's weights for each strip costs less than 5 %. Where threads share a strip
// they wait for each other behind it, so it is worth some 20 us of each.
inline PassOptions in_strips(int threads) {
  constexpr int64_t worth_sharing = 1'000'000;
  return {.strip_pixels = int64_t{512} * threads,
          .strip_macs = threads > 1 ? worth_sharing * threads : 0};
}

// runners[i] computes fused[i]. The pass keeps pointers to them.
TilePass plan_pass(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const std::vector<LayerRunner*>& runners,
                   PassOptions options = {});

bool same_program(const TileProgram& a, const TileProgram& b);

}  // namespace shingle
