// TilePass: a tile's program, planned for an executor with an arena: the runner of each step, the
// strips of rows in which it computes, and the place of each tensor in memory.
//
//   windows ---> [ arena: rows of maps, bytes shared by those that never live together ] --->
//   outputs
//
// A map in the arena is stored whole, or only with the few rows that are still needed. If all its
// readers and writers take rings, these rows form a ring (devices/executor/rows.hpp). Otherwise
// they move to the front when the next strip does not fit behind them.
//
// A map of one row (the tokens of a transformer, a signal) is cut into strips of columns. Its
// columns lie in memory like the rows of a map that is one column wide, and in a pass they are
// called its rows. They never form a ring.
#pragma once

#include <optional>
#include <vector>

#include "devices/layers/layer_runner.hpp"
#include "devices/pass/fuse_steps.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// The axis of a map's rows, in that sense. A strip of a map may be one row high, so it is always
// the whole region of a step that is asked.
inline Span Region::*row_axis(const Region& map) {
  return map.y.size() == 1 ? &Region::x : &Region::y;
}
inline Span rows_of(const Region& map) { return map.*row_axis(map); }
inline Region with_rows(Region map, Span rows) {
  map.*row_axis(map) = rows;
  return map;
}

// Where a tensor is stored during the pass.
struct TensorPlace {
  enum class Kind : uint8_t { absent, input, constant, arena, output };
  Kind kind = Kind::absent;  // absent: nobody reads it
  size_t index = 0;          // of the program's input or output
  TensorId tensor;
  PaddedBox stored{};  // arena
  Region held{};       // the part that is computed; arena
  int32_t rows = 0;    // rows of the box that are stored at once, along row_axis(held); arena
  bool ring = false;   // row y + rows takes the place of row y
  bool kept = false;   // no rows of the tensor, but what a runner keeps of it; arena
  int64_t offset = 0;  // arena, in bytes
  // The first and the last strip of the pass (both included) between which its bytes are its own;
  // arena. Of a place that takes over another one's bytes (takeover.hpp) the life counts from where
  // that one's ends. It is written earlier, and may have no strip of its own left: then the first
  // strip is behind the last.
  size_t first_strip = 0, last_strip = 0;
};

int64_t bytes_of(const TensorPlace& place);  // in the arena

struct PassStep {
  LayerId layer;
  Algorithm algorithm = Algorithm::direct;
  LayerRunner* runner = nullptr;          // never null; whoever prepared the pass owns it
  std::optional<LayerId> pool, addition;  // computed together with the layer
  Region region;                          // to compute, in the last layer's map
  std::vector<size_t> inputs;       // places of the layer's inputs, then of the map that is added
  size_t output = 0;                // place
  std::optional<size_t> kept;       // place of what the runner keeps of its inputs
  bool padded = false;              // input 0 is stored as LayerRunner::input_box() says
  bool own_memory = false;          // input 0 lies in the arena, which may be read past its end
  std::optional<size_t> copied_to;  // program output that gets a copy
};

// Is the strip `rows` the step's first one?
inline bool begins(const PassStep& step, Span rows) {
  return rows.begin == rows_of(step.region).begin;
}

// The region of input number `input` (as in PassStep::inputs) that the step reads to compute
// `region`.
Region read_by(const Model& model, const PassStep& step, size_t input, const Region& region);

// The same in the strip `rows` of the step: empty if its runner has read that input before and kept
// what it needs.
Region read_in_strip(const Model& model, const PassStep& step, size_t input, Span rows);

// A pass may have many strips, so the index is small.
struct PassStrip {
  uint32_t step = 0;
  Span rows;
  int32_t first_row = 0;  // the first row that the output's place holds from now on
  Span moved;             // rows that move to the front of that place first
  Region held;            // the part of the step's input 0 that it reads
};

struct TilePass {
  TileProgram program;
  std::vector<TensorPlace> places;
  std::vector<PassStep> steps;
  std::vector<PassStrip> strips;
  int64_t arena_bytes = 0;
};

struct PassOptions {
  // A strip of a Winograd layer has at least this many pixels, so that its weights are not
  // transformed too often; a strip of another layer with weights at least an eighth as many, of a
  // layer without a sixteenth. A quarter of that where the pass would hold more than half of what
  // whole maps do, and at most half with lower strips. None: every step computes all its rows at
  // once.
  std::optional<int64_t> strip_pixels;
  // Strips have more rows than that if their work would be less than this.
  int64_t strip_macs = 0;
  // If the maps need more than this, strips get fewer rows, deep layers run in strips too, and maps
  // with late readers are computed twice, until the maps fit or nothing more helps. No bit changes.
  int64_t max_bytes = int64_t{64} << 20;
};

// The options for our own kernels. A strip of 512 pixels holds 32 Winograd tiles; from about 25 on,
// transforming a layer's weights for each strip costs less than 5 %. Threads that share a strip
// wait for each other at its end, so each should have about 20 us of work.
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
