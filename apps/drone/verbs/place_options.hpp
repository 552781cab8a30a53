// Options of verbs that know where vehicles are on the ground: the flight's log, what it lacks, and
// in which map grid places are told.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/drone/verbs/flight_log_options.hpp"

namespace shingle::drone {

struct PlaceOptions {
  std::string log, camera, crs;
  std::optional<double> offset{};
  FlightLogOptions of_log;
};
void describe(CLI::App& verb, PlaceOptions& options);

// What the options say, for run.json.
std::vector<std::pair<std::string, std::string>> facts_of(const PlaceOptions& options);

// None without --log. `photos_per_second`: as in FlightFileOptions. Errors: those of
// read_flight_file(); a log in a time of its own without --offset.
Result<std::optional<Flight>> read_log(const PlaceOptions& options,
                                       std::optional<double> photos_per_second = {});

// The picture's size is still to be filled in. Errors: those of load_camera().
Result<ViewOptions> view_options(const PlaceOptions& options);

}  // namespace shingle::drone
