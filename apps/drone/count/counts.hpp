// All that is counted at a site, and sums of it over minutes.
#pragma once

#include <span>
#include <vector>

#include "apps/drone/count/conflicts.hpp"
#include "apps/drone/count/crossings.hpp"
#include "apps/drone/count/incidents.hpp"
#include "apps/drone/count/turns.hpp"
#include "apps/drone/count/visits.hpp"

namespace shingle::drone {

struct Counts {
  Site site{};  // in the plane; its names and order are those of the file
  bool is_metric = false;
  size_t tracks = 0;                     // that have a place
  std::vector<int64_t> without_place{};  // tracks that could not be counted
  std::vector<Crossing> crossings{};
  std::vector<Visit> visits{};
  std::vector<Turn> turns{};
  std::vector<ConflictHeadway> conflict_headways{};
  std::vector<Incident> incidents{};
  std::vector<CollisionCourse> collision_courses{};
  std::vector<Encroachment> encroachments{};
};

// Errors: those of SitePlane and check(). REQUIRES: the sightings of a track come by growing time.
// The result does not depend on the order of the tracks.
Result<Counts> count_site(const Site& site, std::span<const Sighting> sightings,
                          const PictureSize& picture = {});

// How many vehicles of a class passed a line in a direction, or entered a zone, within some minutes
// of stream time: [number * minutes, (number + 1) * minutes). Bins without a vehicle are left out.
struct CountBin {
  size_t place = 0;  // index in Site::lines or Site::zones
  int class_id = -1;
  Direction direction = Direction::forward;  // of lines; zones have forward only
  int64_t number = 0;
  size_t vehicles = 0;
};
inline constexpr int bin_minutes[] = {1, 5, 15};

// By place, direction, class and number.
std::vector<CountBin> line_bins(const Counts& counts, int minutes);
// A visit whose entry was not seen is counted where its track begins.
std::vector<CountBin> zone_bins(const Counts& counts, int minutes);

// A summary of values. All its fields are 0 if there are no values.
struct Spread {
  size_t count = 0;
  double least = 0.0, median = 0.0, mean = 0.0, greatest = 0.0;
};
Spread spread_of(std::vector<double> values);

}  // namespace shingle::drone
