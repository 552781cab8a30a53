// How near two vehicles come to a collision: surrogate measures of safety.
//
// Time to collision (TTC): the time until two vehicles touch if both keep their velocities (Hayward
// 1972, Highway Research Record 384). Vehicles are rectangles of their length and width that lie
// along their facing.
// Post-encroachment time (PET): from the moment that the first vehicle has left the conflict area
// to the moment that the second one enters it (Allen, Shin and Cooper 1978, Transportation Research
// Record 667). Thresholds: Gettman et al. 2008, Surrogate Safety Assessment Model, FHWA-HRT-08-051:
// conflicts have a TTC of at most 1.5 s and a PET of at most 5 s.
#pragma once

#include <span>

#include "apps/drone/count/path.hpp"
#include "apps/drone/count/visits.hpp"

namespace shingle::drone {

struct MovingRectangle {
  PlanePoint centre{}, facing{}, velocity{};
  VehicleExtent extent{};
};

// Seconds; 0: they overlap already. Empty: they never touch. Exact, by separating axes.
std::optional<double> time_to_collision(const MovingRectangle& a, const MovingRectangle& b);

// The least time to collision of a pair within one conflict. A conflict is a succession of frames,
// at least hold_frames of them, in which the time is at most collision_seconds. Vehicles that
// overlap in a frame are not looked at there: their sizes are wrong, or their boxes.
struct CollisionCourse {
  int64_t track = 0, other = 0;  // track < other
  double begin_seconds = 0.0, end_seconds = 0.0;
  double least_seconds = 0.0;  // the least time to collision
  double at_seconds = 0.0;     // when it was that small
};

// By begin and tracks. Vehicles that never move have no facing and are left out.
std::vector<CollisionCourse> collision_courses(std::span<const Path> paths,
                                               const CountLimits& limits);

struct Encroachment {
  size_t zone = 0;  // index in Site::zones; it is a conflict area
  int64_t first = 0, second = 0;
  double seconds = 0.0;               // of the second one's entry
  double encroachment_seconds = 0.0;  // PET, above 0
  // Between the headings of the first one at its exit and the second one at its entry. SSAM: below
  // 30 rear end, to 85 lane change, above it crossing. Empty: a heading is not known.
  std::optional<double> angle_degrees{};
};

// Of each vehicle that enters a conflict area, against the one that left it last before. By time,
// zone and second track. Entry is the front's, exit the rear's, where sizes are known. Visits of
// which entry or exit was not seen are left out where it is needed.
std::vector<Encroachment> encroachments(std::span<const Path> paths, std::span<const Visit> visits,
                                        const Site& site);

}  // namespace shingle::drone
