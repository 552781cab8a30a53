// Which slices of a picture are computed: where vehicles are, where they can appear, and every
// place now and then.
//
// The picture is divided into cells, and each knows when a slice's inner part last held its middle.
// How often a cell is due depends on what it shows:
//
//   at the picture's border, or road     five times in `full_every_seconds`
//   anything else                        once
//
// First come slices that hold the followed vehicles that would be overdue in the next picture, as
// few as possible; then slices for cells that would be; then, so that not all cells become due at
// once, slices for the oldest cells until the mean age is half of what is allowed. Each is the
// slice that does most, of those at an eighth of a slice from each other (greedy set cover). A
// vehicle counts the more the longer nobody looked at its place, so with few slices each has its
// turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/drone/slices/slice.hpp"

namespace shingle::drone {

inline constexpr int cell_columns = 64, cell_rows = 36;
inline constexpr size_t cell_count = static_cast<size_t>(cell_columns) * cell_rows;

// By cell, rows from the top: may vehicles drive there? True where nobody knows.
using RoadCells = std::array<bool, cell_count>;

struct FollowedVehicle {
  PixelBox box{};              // where it should be
  double every_seconds = 0.0;  // how often it is looked at; 0: in each picture
};

struct SliceNeeds {
  double seconds = 0.0;  // stream time of the picture
  std::span<const FollowedVehicle> vehicles{};
  const RoadCells* road = nullptr;  // null: nobody knows where roads are
  std::optional<size_t> most{};     // slices
};

struct SliceChoice {
  std::vector<PictureSlice> slices{};  // one at least
  size_t left_out = 0;                 // slices that were needed beyond `most`
};

class SliceChooser {
 public:
  explicit SliceChooser(double full_every_seconds);  // above 0

  // For the next picture. REQUIRES: times grow.
  SliceChoice choose(const SliceGeometry& geometry, const SliceNeeds& needs);

  // All of the picture is looked at otherwise, at that time.
  void saw_all(double seconds);

 private:
  using Urgencies = std::array<double, cell_count>;  // 1: due now
  Urgencies urgencies(const SliceGeometry& geometry, const SliceNeeds& needs, double ahead) const;
  double urgency(const SliceGeometry& geometry, const FollowedVehicle& vehicle, double seconds,
                 double ahead) const;

  double full_every_;
  double last_ = 0.0;  // time of the picture before
  bool has_begun_ = false;
  std::array<double, cell_count> seen_;  // when; far back: never
};

}  // namespace shingle::drone
