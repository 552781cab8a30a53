// What is said about a flight log on the command line, the same for every verb that reads one.
#pragma once

#include <optional>
#include <string>

#include "apps/drone/align/log_view.hpp"
#include "apps/drone/verbs/flight_file.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shingle::drone {

struct FlightLogOptions {
  std::string columns;
  std::optional<double> zone_hours{};  // how its columns and times are read
  std::optional<double> gimbal_pitch{}, focal_35mm{}, ground_height{};  // what it lacks of the view
};

// `needed`: the option without which these say nothing; null: there is none.
void describe_reading(CLI::App& verb, FlightLogOptions& options, CLI::Option* needed);
void describe_view(CLI::App& verb, FlightLogOptions& options, CLI::Option* needed);

// How read_flight_file() reads it.
FlightFileOptions file_options(const FlightLogOptions& options,
                               std::optional<double> photos_per_second);

// Without the picture's size.
ViewOptions view_options(const FlightLogOptions& options);

}  // namespace shingle::drone
