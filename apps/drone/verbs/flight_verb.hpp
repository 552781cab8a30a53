// The verb `run`: a video becomes tracks, places on the ground, a run folder and annotated media.
#pragma once

#include <optional>
#include <string>

#include "apps/drone/verbs/event_options.hpp"
#include "apps/drone/verbs/place_options.hpp"
#include "apps/drone/verbs/slice_options.hpp"
#include "apps/drone/verbs/tracker_options.hpp"
#include "apps/run/run_options.hpp"

namespace shingle::drone {

struct FlightVerbOptions {
  RunOptions run;
  std::string folder, classes, road, road_classes;
  uint64_t road_every = 10;
  std::optional<double> frames_per_second{};
  PlaceOptions places;
  EventVerbOptions events;
  // ByteTrack's 0.5 is for scores near 1. This one was chosen on rendered flights: decision 106.
  TrackerVerbOptions tracker{.high_score = 0.45};
  SliceVerbOptions slices;
  bool stands_still = false, recovers_by_flow = false;
};
void describe(CLI::App& verb, FlightVerbOptions& options);
int run_verb(const FlightVerbOptions& options);

}  // namespace shingle::drone
