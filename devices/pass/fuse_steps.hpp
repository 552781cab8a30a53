// Which steps of a program are computed together. Some runners compute a convolution together with
// the max-pool or the addition after it, so that the convolution's own map is never stored.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partition/plan/program.hpp"

namespace shingle {

// Numbers are indices into TileProgram::steps.
struct FusedStep {
  size_t main = 0;
  std::optional<size_t> pool{};      // 2x2, stride 2
  std::optional<size_t> addition{};  // adds main's map and ...
  size_t added_input = 0;            // ... this input of the addition's layer

  size_t last() const { return pool ? *pool : addition ? *addition : main; }
};

// What a step's runner can compute together with the step. Default: nothing.
struct FusionRules {
  std::function<bool(const Step&)> takes_pool = [](const Step&) { return false; };
  // `after`: the activation of the sum.
  std::function<bool(const Step&, const Activation& after)> takes_addition =
      [](const Step&, const Activation&) { return false; };
};

// In the order of their last steps.
std::vector<FusedStep> fuse_steps(const Model& model, const TileProgram& program,
                                  const FusionRules& rules);

}  // namespace shingle
