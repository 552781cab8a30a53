#include "apps/drone/track/association.hpp"

namespace shingle::drone {
namespace {

constexpr double momentum_weight = 0.2;  // the paper's lambda

template <class BoxOf>
Matrix costs_between(Tracks tracks, Detections detections, BoxOf box_of_track) {
  Matrix costs(tracks.size(), detections.size());
  for (size_t row = 0; row < tracks.size(); ++row) {
    const PixelBox box = box_of_track(*tracks[row]);
    for (size_t column = 0; column < detections.size(); ++column)
      costs.at(row, column) = 1.0 - overlap_of_inclusive(box, detections[column]->box);
  }
  return costs;
}

}  // namespace

Matrix costs_of_predicted(Tracks tracks, Detections detections) {
  return costs_between(tracks, detections, [](const Track& track) { return track.box(); });
}

Matrix costs_of_last_seen(Tracks tracks, Detections detections) {
  return costs_between(tracks, detections, [](const Track& track) {
    return track.observations().empty() ? track.box() : track.observations().last().box;
  });
}

void fuse_scores(Matrix& costs, Detections detections) {
  for (size_t row = 0; row < costs.rows(); ++row)
    for (size_t column = 0; column < costs.columns(); ++column)
      costs.at(row, column) = 1.0 - (1.0 - costs.at(row, column)) * detections[column]->score;
}

void add_momentum(Matrix& costs, Tracks tracks, Detections detections, double now) {
  for (size_t row = 0; row < costs.rows(); ++row)
    for (size_t column = 0; column < costs.columns(); ++column) {
      const DetectedBox& detection = *detections[column];
      costs.at(row, column) -= momentum_weight * detection.score *
                               tracks[row]->observations().agreement(detection.box, now);
    }
}

}  // namespace shingle::drone
