// All measures of one sequence, or of several together.
#pragma once

#include "apps/drone/score/clear.hpp"
#include "apps/drone/score/hota.hpp"
#include "apps/drone/score/identity.hpp"

namespace shingle::drone {

struct Scores {
  ClearCounts clear{};
  IdentityCounts identity{};
  HotaCurve hota{};
  bool is_combined = false;  // several sequences: see combined_figures_of()
  Scores& operator+=(const Scores& other);
  ClearFigures clear_figures() const;
};
Scores scores_of(const Sequence& sequence);

}  // namespace shingle::drone
