// NodeProfile: the cost of computing on one machine, as plain numbers that a planner adds up.
//
//   a step of a tile's pass  =  ns_per_call  +  macs * ns_per_mac  +  elements * ns_per_element
//                            +  weights * ns_per_weight
//
// macs and elements count the step's output after it is extended to what its algorithm computes and
// to the granule: 432 channels for a map of 425, if a kernel computes blocks of 16. elements are
// those that it writes; of a convolution the mean of those that it reads and writes; of a pool its
// taps. weights are those of the channels that it computes: each pass reads them anew.
//
// An activation that follows a layer costs nothing, unless it takes an exponential or the like:
// then it costs what an elementwise layer does for these elements.
#pragma once

#include <array>

#include "partition/plan/program.hpp"

namespace shingle {

// The grid on which an executor wants tile borders, per layer output. Tiles are extended to it.
struct Granule {
  int32_t y = 1, x = 1, c = 1;
  friend bool operator==(const Granule&, const Granule&) = default;
};

// Layers whose speeds are measured separately, because they differ by factors on every machine.
enum class WorkKind : uint8_t {
  convolution,  // dense or grouped, a kernel of more than one tap; transposed too
  winograd,     // a convolution computed by winograd4; its MACs are those of the direct formula
  pointwise,    // a kernel of one tap: a matrix product
  depthwise,    // one input channel for each output channel
  pooling,      // pools and reductions
  elementwise,  // one result per element: activation, sum, resize, softmax
  movement,     // elements change places: concat, slice, pad, rearrange
  product,      // of two values: the second is packed while the tile is computed
  recurrence,   // all weights are read again for each step
};
inline constexpr size_t work_kinds = 9;
const char* name_of(WorkKind kind);  // "convolution", ...

struct WorkCost {
  double ns_per_mac = 0.0;
  double ns_per_element = 0.0;
  double ns_per_weight = 0.0;  // floats
  double ns_per_call = 0.0;
  Granule granule{};
  friend bool operator==(const WorkCost&, const WorkCost&) = default;
};

struct NodeProfile {
  std::array<WorkCost, work_kinds> costs{};  // by WorkKind; all cores of a slot together
  int32_t slots = 1;                         // tiles computed at a time
  double idle_watts = 2.0, busy_watts = 5.0;
  const WorkCost& at(WorkKind kind) const { return costs[static_cast<size_t>(kind)]; }
  friend bool operator==(const NodeProfile&, const NodeProfile&) = default;
};

// The profile of a machine for which only the effective gflops on direct convolutions are known:
// every multiply-accumulate takes that time, with Winograd a bit less than half of it; operators
// without MACs take no time; a call takes 20 us.
NodeProfile profile_of(double gflops);

// A machine whose speed is limited on purpose: every multiply-accumulate costs the same in every
// kind of layer.
NodeProfile paced_profile(double gflops);

// True if Winograd is clearly cheaper than the direct formula.
bool gains_by_winograd(const NodeProfile& profile);

WorkKind work_kind(const Model& model, const Layer& layer, Algorithm algorithm);

struct Work {
  int64_t macs = 0;  // rounding included
  double compute_ns = 0.0;
};
Work work_of(const NodeProfile& profile, const Model& model, const TileProgram& program);

// The coarsest granule of all layers in this profile; tile borders should lie on it. Winograd's
// rows and columns are left out: a tile's demand is extended to whole squares anyway.
Granule common_granule(const NodeProfile& profile);

}  // namespace shingle
