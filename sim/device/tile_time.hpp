// TileTimes: how long a board needs for a tile. A tile that was measured takes what was measured.
// Another one takes what the profile's formula gives, split into two: waiting for DRAM, and the
// rest, which scales with the clock.
//
//   memory  = bytes / bandwidth      bytes of a step: its weights; and its input and output maps
//                                    where they are larger than the cache
//   compute = formula - memory       not negative: a kind of layer whose formula gives less than
//                                    its bytes take is bound by memory
//
// That is a roofline for each kind of layer (WorkKind) in which the two add up, because the small
// cores that this is for wait for their loads.
#pragma once

#include <unordered_map>

#include "devices/files/device_file.hpp"
#include "devices/files/profile_file.hpp"
#include "partition/plan/program.hpp"
#include "sim/device/device.hpp"

namespace shingle::sim {

// Names what a tile computes: its model, steps and regions.
uint64_t tile_key(const Model& model, const TileProgram& program);

// Bytes that a tile moves between DRAM and a cache of this size.
double dram_bytes(const Model& model, const TileProgram& program, int64_t cache_bytes);

class TileTimes {
 public:
  // `cores`: that a tile uses, of the profile's.
  TileTimes(const DeviceSpec& spec, const DeviceProfile& profile, int32_t cores);

  // From then on the tile takes `time` at the nominal clock.
  void measured(uint64_t key, Duration time) { measured_[key] = time; }

  TileWork work(const Model& model, const TileProgram& program) const;
  bool is_measured(const Model& model, const TileProgram& program) const {
    return measured_.contains(tile_key(model, program));
  }

 private:
  NodeProfile costs_;
  double bytes_per_ns_;
  int64_t cache_bytes_;
  int32_t cores_;
  std::unordered_map<uint64_t, Duration> measured_;
};

}  // namespace shingle::sim
