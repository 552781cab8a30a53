// Makes a tile's pass in one given manner: places for its maps, strips, an arena. plan_pass
// (tile_pass.hpp) looks for the best manner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "devices/pass/recompute.hpp"
#include "devices/pass/tile_pass.hpp"

namespace shingle {

struct PassManner {
  std::optional<int64_t> strip_pixels{};  // none: all rows at once
  int64_t strip_macs = 0;                 // at least, of a strip
  bool deep_in_strips = false;            // also layers whose weights are larger than their map
  bool in_stages = false;                 // pass_stages.hpp
  Recomputed again{};
};

// REQUIRES: a runner for each fused step.
TilePass make_pass(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const std::vector<LayerRunner*>& runners,
                   const PassManner& manner);

}  // namespace shingle
