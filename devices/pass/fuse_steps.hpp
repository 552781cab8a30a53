// Which steps of a program are computed together: a convolution on our kernels takes the max-pool
// or the addition that follows it along, so that its own map never exists.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partition/plan/program.hpp"

namespace shingle {

// Steps by their place in TileProgram::steps.
struct FusedStep {
  size_t main = 0;
  std::optional<size_t> pool{};      // 2x2, stride 2
  std::optional<size_t> addition{};  // of main's map and ...
  size_t added_input = 0;            // ... this input of the addition's layer

  size_t last() const { return pool ? *pool : addition ? *addition : main; }
};

// In the order of their last steps. `natively` says which convolutions run on our kernels.
std::vector<FusedStep> fuse_steps(const Model& model, const TileProgram& program,
                                  const std::function<bool(const Step&)>& natively);

}  // namespace shingle
