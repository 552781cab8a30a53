// TilePass: a tile's program as an executor with an arena runs it: which kernel takes each step,
// and where each tensor lives.
//
//   windows ---> [ arena: padded boxes, bytes shared by buffers that never live together ] --->
//   outputs
//
// A tensor in the arena is stored as its most demanding reader wants it, border included; the
// others read it from there.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "devices/xnn_layer.hpp"
#include "partition/program.hpp"

namespace shingle {

struct PlainLoops {};
using LayerKernel = std::variant<PlainLoops, XnnLayer*>;  // owned by the executor

// How a kernel wants a sliding input stored to compute `region`; none: any way.
std::optional<PaddedBox> wanted_input(const LayerKernel& kernel, const Region& region);

// Where a tensor lives during the pass.
struct Place {
  enum class Kind : uint8_t { absent, input, constant, arena, output };
  Kind kind = Kind::absent;  // absent: nothing of it is read
  size_t index = 0;          // of the program's input or output
  TensorId tensor;
  PaddedBox stored{};  // arena
  Region held{};       // what of it is computed; arena
  int64_t offset = 0;  // arena, in bytes
};

struct PassStep {
  LayerId layer;
  LayerKernel kernel;
  Region region;                    // to compute
  std::vector<Region> demands;      // of the inputs
  std::vector<size_t> inputs;       // places
  size_t output = 0;                // place
  bool padded = false;              // input 0 is stored as the kernel wants it
  bool own_memory = false;          // input 0 lies in the arena, which may be read past its end
  std::optional<size_t> copied_to;  // program output that gets a copy
};

struct TilePass {
  TileProgram program;
  std::vector<Place> places;
  std::vector<PassStep> steps;
  int64_t arena_bytes = 0;
};

// `kernels` are the program's steps' kernels, in order.
TilePass plan_pass(const Model& model, const TileProgram& program,
                   const std::vector<LayerKernel>& kernels);

bool same_program(const TileProgram& a, const TileProgram& b);

}  // namespace shingle
