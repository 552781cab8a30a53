// Which steps of a program are computed together. Some runners compute the max-pool or the addition
// that follows a convolution along with it, so that the convolution's own map never exists.
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

// What the runner of a step computes together with it. The default: nothing.
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
