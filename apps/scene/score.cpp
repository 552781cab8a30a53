#include "apps/scene/score.hpp"

#include <algorithm>

namespace shingle {
namespace {

// The vehicle that overlaps `box` most of those that `eligible` allows, by at least match_overlap.
template <class Eligible>
std::optional<size_t> best_match(const Box& box, std::span<const Wanted> wanted,
                                 Eligible&& eligible) {
  std::optional<size_t> best;
  float most = match_overlap;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const float overlap = intersection_over_union(box, wanted[i].box);
    if (overlap < most || !eligible(i)) continue;
    most = overlap;
    best = i;
  }
  return best;
}

}  // namespace

std::vector<Wanted> wanted_of(std::span<const TruthRow> rows, uint32_t frame) {
  std::vector<Wanted> wanted;
  for (const TruthRow& row : rows)
    if (row.frame == frame) wanted.push_back({row.truth.box, row.truth.visible >= counted_visible});
  return wanted;
}

void judge(Judgement& judgement, std::span<const Detection> found, std::span<const Wanted> wanted) {
  std::vector<bool> taken(wanted.size(), false);
  for (const Detection& detection : found) {
    const auto hit =
        best_match(detection.box, wanted, [&](size_t i) { return wanted[i].counts && !taken[i]; });
    const bool excused =
        !hit && best_match(detection.box, wanted, [&](size_t i) { return !wanted[i].counts; });
    if (hit) taken[*hit] = true;
    if (!excused) judgement.shown.push_back({detection.score, hit.has_value()});
  }
  judgement.wanted += static_cast<uint64_t>(
      std::count_if(wanted.begin(), wanted.end(), [](const Wanted& one) { return one.counts; }));
}

double average_precision(const Judgement& judgement) {
  std::vector<Judgement::Shown> shown = judgement.shown;
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<double> precision;
  double hits = 0.0;
  for (const Judgement::Shown& one : shown) {
    hits += one.hit ? 1.0 : 0.0;
    precision.push_back(hits / static_cast<double>(precision.size() + 1));
  }
  double area = 0.0, best = 0.0;
  for (size_t i = shown.size(); i-- > 0;) {
    best = std::max(best, precision[i]);
    if (shown[i].hit) area += best;
  }
  return judgement.wanted == 0 ? 0.0 : area / static_cast<double>(judgement.wanted);
}

RecallPrecision at_score(const Judgement& judgement, float min_score) {
  double hits = 0.0, shown = 0.0;
  for (const Judgement::Shown& one : judgement.shown) {
    if (one.score < min_score) continue;
    shown += 1.0;
    hits += one.hit ? 1.0 : 0.0;
  }
  return {.recall = judgement.wanted == 0 ? 0.0 : hits / static_cast<double>(judgement.wanted),
          .precision = shown == 0.0 ? 0.0 : hits / shown};
}

}  // namespace shingle
