#include "apps/drone/score/scores.hpp"

namespace shingle::drone {

Scores& Scores::operator+=(const Scores& other) {
  clear += other.clear;
  identity += other.identity;
  for (size_t threshold = 0; threshold < hota_thresholds; ++threshold)
    hota[threshold] += other.hota[threshold];
  return *this;
}

ClearFigures Scores::clear_figures() const {
  return is_combined ? combined_figures_of(clear) : figures_of(clear);
}

Scores scores_of(const Sequence& sequence) {
  return {.clear = clear_counts(sequence),
          .identity = identity_counts(sequence),
          .hota = hota_counts(sequence)};
}

}  // namespace shingle::drone
