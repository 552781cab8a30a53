// The identity measures: each true object is given the one found object with which it shares most
// boxes over the whole video; what does not belong to such a pair is wrong.
// Source: Ristani et al. 2016 (arXiv:1609.01775).
#pragma once

#include <cstdint>

#include "apps/drone/score/sequence.hpp"

namespace shingle::drone {

struct IdentityCounts {
  uint64_t hits = 0, misses = 0, false_boxes = 0;  // IDTP, IDFN, IDFP
  IdentityCounts& operator+=(const IdentityCounts& other);
};
IdentityCounts identity_counts(const Sequence& sequence);

struct IdentityFigures {
  double f1 = 0.0, recall = 0.0, precision = 0.0;  // IDF1, IDR, IDP
};
IdentityFigures figures_of(const IdentityCounts& counts);

}  // namespace shingle::drone
