#include "apps/drone/verbs/flight_log_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/drone/logs/column_map.hpp"

namespace shingle::drone {
namespace {

template <class Value>
CLI::Option* add(CLI::App& verb, CLI::Option* needed, const char* name, Value& value,
                 const char* type, const std::string& text) {
  CLI::Option* option = verb.add_option(name, value, text)->type_name(type);
  if (needed != nullptr) option->needs(needed);
  return option;
}

}  // namespace

void describe_reading(CLI::App& verb, FlightLogOptions& options, CLI::Option* needed) {
  add(verb, needed, "--columns", options.columns, "MAP",
      "columns of a CSV log: FIELD=COLUMN:UNIT, .., or a ready map (" + ready_map_names() +
          "; default: the one that fits)");
  add(verb, needed, "--zone", options.zone_hours, "HOURS",
      "hours that the log's local time is ahead of UTC")
      ->check(CLI::Range(-14.0, 14.0));
}

void describe_view(CLI::App& verb, FlightLogOptions& options, CLI::Option* needed) {
  add(verb, needed, "--gimbal-pitch", options.gimbal_pitch, "DEGREES",
      "where the camera looked, if the log does not say: -90 is straight down (default)")
      ->check(CLI::Range(-90.0, 0.0));
  add(verb, needed, "--focal-35mm", options.focal_35mm, "MM",
      "the lens, as of a film of 36 mm, if the log does not say")
      ->check(CLI::Range(1.0, 10000.0));
  add(verb, needed, "--ground-height", options.ground_height, "M",
      "height of the ground as the log counts: above take-off, else above sea level")
      ->check(CLI::Range(-1000.0, 10000.0));
}

FlightFileOptions file_options(const FlightLogOptions& options,
                               std::optional<double> photos_per_second) {
  return {.log = {.columns = options.columns, .zone_hours = options.zone_hours},
          .photos_per_second = photos_per_second};
}

ViewOptions view_options(const FlightLogOptions& options) {
  return {.focal_35mm = options.focal_35mm,
          .gimbal_pitch = options.gimbal_pitch,
          .ground_height = options.ground_height};
}

}  // namespace shingle::drone
