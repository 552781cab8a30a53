#include "apps/drone/track/first_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace shingle::drone {
namespace {

// On each side, of the box's own length and width. Without a neighbour boxes of twice the size
// meet up to two lengths apart; beside one what is left to guess is how speeds differ in a lane.
constexpr double buffer_alone = 0.5, buffer_beside = 0.3;
// How near a neighbour is, in box sizes (the root of the area; 3 m of a car) beside and along the
// way that it goes: a lane is 3.5 m wide, and queues hold together over ten cars.
constexpr double size_beside = 1.0, size_along = 10.0;
constexpr double stands = 0.05;  // box sizes in a step: no way that it goes

PixelBox buffered(const PixelBox& box, double share) {
  return {box.x - share * box.w, box.y - share * box.h, (1.0 + 2.0 * share) * box.w,
          (1.0 + 2.0 * share) * box.h};
}

PixelBox shifted(const PixelBox& box, const Eigen::Vector2d& step) {
  return {box.x + step.x(), box.y + step.y(), box.w, box.h};
}

Eigen::Vector2d middle_of(const PixelBox& box) {
  return {box.x + box.w / 2.0, box.y + box.h / 2.0};
}

// From 1 for the same place to 0 far away.
double nearness(const PixelBox& box, const KnownStep& neighbour) {
  const double size = std::sqrt(std::max(box.area(), 1.0));
  const Eigen::Vector2d away = (middle_of(neighbour.box) - middle_of(box)) / size;
  const double length = neighbour.pixels.norm();
  if (length < stands * size) return std::exp(-0.5 * away.squaredNorm());
  const Eigen::Vector2d way = neighbour.pixels / length;
  const double along = away.dot(way) / size_along;
  const double beside = (away.x() * way.y() - away.y() * way.x()) / size_beside;
  return std::exp(-0.5 * (along * along + beside * beside));
}

struct Guess {
  PixelBox box;         // where the vehicle is now, made larger
  double weight = 1.0;  // how much its overlap counts
};

// It is somewhere near, or where the step of its nearest neighbour leads.
struct Guesses {
  Guess near;
  std::optional<Guess> beside{};
};

Guesses guesses_of(const PixelBox& box, std::span<const KnownStep> known) {
  const KnownStep* nearest = nullptr;
  double most = 0.0;
  for (const KnownStep& each : known) {
    const double value = nearness(box, each);
    if (value <= most) continue;
    most = value;
    nearest = &each;
  }
  Guesses guesses{.near = {buffered(box, buffer_alone), 1.0 - most / 2.0}};
  if (nearest != nullptr)
    guesses.beside = Guess{buffered(shifted(box, nearest->pixels), buffer_beside), most};
  return guesses;
}

}  // namespace

Matrix costs_of_first_steps(Tracks tracks, Detections detections,
                            std::span<const KnownStep> known) {
  Matrix costs(tracks.size(), detections.size());
  for (size_t row = 0; row < tracks.size(); ++row) {
    const Guesses guesses = guesses_of(tracks[row]->box(), known);
    for (size_t column = 0; column < detections.size(); ++column) {
      const PixelBox& box = detections[column]->box;
      double best = guesses.near.weight * overlap(guesses.near.box, buffered(box, buffer_alone));
      if (guesses.beside)
        best = std::max(best, guesses.beside->weight *
                                  overlap(guesses.beside->box, buffered(box, buffer_beside)));
      costs.at(row, column) = 1.0 - best;
    }
  }
  return costs;
}

}  // namespace shingle::drone
