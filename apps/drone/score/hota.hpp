// HOTA: how well objects are found, and how well their boxes are put together, in equal parts; at
// 19 thresholds of overlap, from 0.05 to 0.95.
// Source: Luiten et al. 2021 (arXiv:2009.07736); fields and rounding as TrackEval has them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/drone/score/sequence.hpp"

namespace shingle::drone {

constexpr size_t hota_thresholds = 19;
// The threshold's overlap; rounded as numpy.arange(0.05, 0.99, 0.05) rounds it.
constexpr double hota_overlap(size_t threshold) {
  return 0.05 + static_cast<double>(threshold) * 0.05;
}

// At one threshold, of one or several sequences. The sums of ratios run over all hits.
struct HotaCounts {
  uint64_t hits = 0, misses = 0, false_boxes = 0;
  double overlap_sum = 0.0;
  double association_sum = 0.0, association_recall_sum = 0.0, association_precision_sum = 0.0;
  HotaCounts& operator+=(const HotaCounts& other);
};
using HotaCurve = std::array<HotaCounts, hota_thresholds>;
HotaCurve hota_counts(const Sequence& sequence);

struct HotaFigures {
  double hota = 0.0, detection = 0.0, association = 0.0, localisation = 1.0, owta = 0.0;
  double detection_recall = 0.0, detection_precision = 0.0;
  double association_recall = 0.0, association_precision = 0.0;
};
HotaFigures figures_of(const HotaCounts& counts);

// The mean over all thresholds: what is called HOTA, DetA, AssA, ... without a threshold.
HotaFigures mean_figures(const HotaCurve& curve);

}  // namespace shingle::drone
