#include "apps/drone/score/clear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shingle::drone {
namespace {

constexpr size_t nobody = std::numeric_limits<size_t>::max();
constexpr double kept_pair_bonus = 1000.0;  // far above the sum of a frame's overlaps

// What is known of one true object so far.
struct History {
  size_t last_partner = nobody;  // whenever that was: another one now is a switch
  // Of the last frame that had true and found boxes: such a pair is kept.
  size_t partner_before = nobody;
  uint64_t seen = 0, hit = 0, runs = 0;
};

Matrix costs_of(const ScoredFrame& frame, const std::vector<History>& histories) {
  Matrix costs(frame.truth.size(), frame.found.size());
  for (size_t row = 0; row < frame.truth.size(); ++row)
    for (size_t column = 0; column < frame.found.size(); ++column) {
      const double overlap = frame.overlaps.at(row, column);
      if (overlap < match_overlap - rounding) continue;
      const bool is_kept = histories[frame.truth[row]].partner_before == frame.found[column];
      costs.at(row, column) = -(is_kept ? kept_pair_bonus : 0.0) - overlap;
    }
  return costs;
}

void count_frame(const ScoredFrame& frame, std::vector<History>& histories, ClearCounts& counts) {
  for (const size_t id : frame.truth) ++histories[id].seen;
  counts.misses += frame.truth.size();
  counts.false_boxes += frame.found.size();
  if (frame.truth.empty() || frame.found.empty()) return;

  std::vector<size_t> partners(histories.size(), nobody);
  for (const Pair& pair : cheapest_pairs(costs_of(frame, histories), 0.0)) {
    History& history = histories[frame.truth[pair.row]];
    const size_t partner = frame.found[pair.column];
    counts.switches += history.last_partner != nobody && history.last_partner != partner;
    history.runs += history.partner_before == nobody;
    history.last_partner = partner;
    ++history.hit;
    partners[frame.truth[pair.row]] = partner;
    ++counts.hits, --counts.misses, --counts.false_boxes;
    counts.overlap_sum += frame.overlaps.at(pair.row, pair.column);
  }
  for (size_t id = 0; id < histories.size(); ++id) histories[id].partner_before = partners[id];
}

double share(double part, double all) { return part / std::max(1.0, all); }

}  // namespace

ClearCounts& ClearCounts::operator+=(const ClearCounts& other) {
  hits += other.hits, misses += other.misses;
  false_boxes += other.false_boxes, switches += other.switches;
  mostly_tracked += other.mostly_tracked, partly_tracked += other.partly_tracked;
  mostly_lost += other.mostly_lost, fragments += other.fragments;
  frames += other.frames, overlap_sum += other.overlap_sum;
  return *this;
}

ClearCounts clear_counts(const Sequence& sequence) {
  if (sequence.found_boxes == 0)
    return {.misses = sequence.true_boxes, .mostly_lost = sequence.true_ids};
  if (sequence.true_boxes == 0) return {.false_boxes = sequence.found_boxes};
  ClearCounts counts{.frames = sequence.frames.size()};
  std::vector<History> histories(sequence.true_ids);
  for (const ScoredFrame& frame : sequence.frames) count_frame(frame, histories, counts);
  for (const History& history : histories) {
    const double found = static_cast<double>(history.hit) / static_cast<double>(history.seen);
    counts.mostly_tracked += found > 0.8;
    counts.partly_tracked += found >= 0.2 && found <= 0.8;
    counts.mostly_lost += found < 0.2;
    counts.fragments += history.runs > 0 ? history.runs - 1 : 0;
  }
  return counts;
}

ClearFigures figures_of(const ClearCounts& counts) {
  if (counts.frames == 0) return {.mostly_lost = 1.0};
  return combined_figures_of(counts);
}

ClearFigures combined_figures_of(const ClearCounts& counts) {
  const auto number = [](uint64_t count) { return static_cast<double>(count); };
  const double hits = number(counts.hits), misses = number(counts.misses);
  const double false_boxes = number(counts.false_boxes), switches = number(counts.switches);
  const double wanted = hits + misses;
  const double objects = number(counts.mostly_tracked + counts.partly_tracked + counts.mostly_lost);
  const double switches_logarithm = switches > 0.0 ? std::log10(switches) : 0.0;
  return {.mota = share(hits - false_boxes - switches, wanted),
          .motp = share(counts.overlap_sum, hits),
          .moda = share(hits - false_boxes, wanted),
          .smota = share(counts.overlap_sum - false_boxes - switches, wanted),
          .motal = share(hits - false_boxes - switches_logarithm, wanted),
          .recall = share(hits, wanted),
          .precision = share(hits, hits + false_boxes),
          .f1 = share(hits, hits + 0.5 * misses + 0.5 * false_boxes),
          .false_per_frame = share(false_boxes, number(counts.frames)),
          .mostly_tracked = share(number(counts.mostly_tracked), objects),
          .partly_tracked = share(number(counts.partly_tracked), objects),
          .mostly_lost = share(number(counts.mostly_lost), objects)};
}

}  // namespace shingle::drone
