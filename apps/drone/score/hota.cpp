#include "apps/drone/score/hota.hpp"

#include <algorithm>
#include <cmath>

namespace shingle::drone {
namespace {

struct Alignment {
  Matrix scores;  // of each true and each found object, over the video
  std::vector<double> true_boxes, found_boxes;  // of each object
};

// The share that a pair of boxes has of all overlap of both in this frame: 1 where nothing else
// meets either of them.
void add_shares(const ScoredFrame& frame, Matrix& shares) {
  std::vector<double> of_row(frame.truth.size()), of_column(frame.found.size());
  for (size_t row = 0; row < frame.truth.size(); ++row)
    for (size_t column = 0; column < frame.found.size(); ++column) {
      of_row[row] += frame.overlaps.at(row, column);
      of_column[column] += frame.overlaps.at(row, column);
    }
  for (size_t row = 0; row < frame.truth.size(); ++row)
    for (size_t column = 0; column < frame.found.size(); ++column) {
      const double overlap = frame.overlaps.at(row, column);
      const double all = of_row[row] + of_column[column] - overlap;
      if (all > rounding) shares.at(frame.truth[row], frame.found[column]) += overlap / all;
    }
}

// The paper's A_max before unique matching: how much of two objects' boxes could be pairs.
Alignment alignment_of(const Sequence& sequence) {
  Alignment alignment{.scores = Matrix(sequence.true_ids, sequence.found_ids),
                      .true_boxes = std::vector<double>(sequence.true_ids),
                      .found_boxes = std::vector<double>(sequence.found_ids)};
  for (const ScoredFrame& frame : sequence.frames) {
    add_shares(frame, alignment.scores);
    for (const size_t id : frame.truth) alignment.true_boxes[id] += 1.0;
    for (const size_t id : frame.found) alignment.found_boxes[id] += 1.0;
  }
  for (size_t row = 0; row < sequence.true_ids; ++row)
    for (size_t column = 0; column < sequence.found_ids; ++column) {
      double& score = alignment.scores.at(row, column);
      score /= alignment.true_boxes[row] + alignment.found_boxes[column] - score;
    }
  return alignment;
}

std::vector<Pair> pairs_of(const ScoredFrame& frame, const Alignment& alignment) {
  Matrix costs(frame.truth.size(), frame.found.size());
  for (size_t row = 0; row < frame.truth.size(); ++row)
    for (size_t column = 0; column < frame.found.size(); ++column)
      costs.at(row, column) = -alignment.scores.at(frame.truth[row], frame.found[column]) *
                              frame.overlaps.at(row, column);
  return cheapest_pairs(costs, 0.0);
}

// Each hit counts with how much of its two objects' boxes are pairs of these two.
void add_association(HotaCounts& counts, const Matrix& hits, const Alignment& alignment) {
  for (size_t row = 0; row < hits.rows(); ++row)
    for (size_t column = 0; column < hits.columns(); ++column) {
      const double common = hits.at(row, column);
      if (common == 0.0) continue;
      const double truth = alignment.true_boxes[row], found = alignment.found_boxes[column];
      counts.association_sum += common * common / (truth + found - common);
      counts.association_recall_sum += common * common / truth;
      counts.association_precision_sum += common * common / found;
    }
}

}  // namespace

HotaCounts& HotaCounts::operator+=(const HotaCounts& other) {
  hits += other.hits, misses += other.misses, false_boxes += other.false_boxes;
  overlap_sum += other.overlap_sum;
  association_sum += other.association_sum;
  association_recall_sum += other.association_recall_sum;
  association_precision_sum += other.association_precision_sum;
  return *this;
}

HotaCurve hota_counts(const Sequence& sequence) {
  const Alignment alignment = alignment_of(sequence);
  std::vector<std::vector<Pair>> pairs;  // the same at all thresholds
  for (const ScoredFrame& frame : sequence.frames) pairs.push_back(pairs_of(frame, alignment));
  HotaCurve curve;
  for (size_t threshold = 0; threshold < hota_thresholds; ++threshold) {
    HotaCounts& counts = curve[threshold];
    Matrix hits(sequence.true_ids, sequence.found_ids);
    for (size_t index = 0; index < pairs.size(); ++index) {
      const ScoredFrame& frame = sequence.frames[index];
      for (const Pair& pair : pairs[index]) {
        const double overlap = frame.overlaps.at(pair.row, pair.column);
        if (overlap < hota_overlap(threshold) - rounding) continue;
        ++counts.hits;
        counts.overlap_sum += overlap;
        hits.at(frame.truth[pair.row], frame.found[pair.column]) += 1.0;
      }
    }
    counts.misses = sequence.true_boxes - counts.hits;
    counts.false_boxes = sequence.found_boxes - counts.hits;
    add_association(counts, hits, alignment);
  }
  return curve;
}

HotaFigures figures_of(const HotaCounts& counts) {
  const double hits = static_cast<double>(counts.hits);
  const double misses = static_cast<double>(counts.misses);
  const double false_boxes = static_cast<double>(counts.false_boxes);
  const double some_hits = std::max(1.0, hits);
  HotaFigures figures{.detection = hits / std::max(1.0, hits + misses + false_boxes),
                      .association = counts.association_sum / some_hits,
                      .localisation = counts.hits == 0 ? 1.0 : counts.overlap_sum / hits,
                      .detection_recall = hits / std::max(1.0, hits + misses),
                      .detection_precision = hits / std::max(1.0, hits + false_boxes),
                      .association_recall = counts.association_recall_sum / some_hits,
                      .association_precision = counts.association_precision_sum / some_hits};
  figures.hota = std::sqrt(figures.detection * figures.association);
  figures.owta = std::sqrt(figures.detection_recall * figures.association);
  return figures;
}

HotaFigures mean_figures(const HotaCurve& curve) {
  constexpr double HotaFigures::*fields[] = {
      &HotaFigures::hota,
      &HotaFigures::detection,
      &HotaFigures::association,
      &HotaFigures::localisation,
      &HotaFigures::owta,
      &HotaFigures::detection_recall,
      &HotaFigures::detection_precision,
      &HotaFigures::association_recall,
      &HotaFigures::association_precision,
  };
  HotaFigures mean{.localisation = 0.0};
  for (const HotaCounts& counts : curve) {
    const HotaFigures each = figures_of(counts);
    for (const auto field : fields) mean.*field += each.*field;
  }
  for (const auto field : fields) mean.*field /= static_cast<double>(hota_thresholds);
  return mean;
}

}  // namespace shingle::drone
