// Runs a check once on each instruction set that the kernels are built for and this machine has.
#pragma once

#include "devices/kernels/targets.hpp"  // before Highway: it selects the instruction sets

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <string>

namespace shingle::kernels {

inline void choose_targets(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

template <class Check>
void on_every_target(const Check& check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    choose_targets(target);
    CAPTURE(std::string(hwy::TargetName(target)));
    check();
  }
  choose_targets(0);
}

}  // namespace shingle::kernels
