// A flight log from a file or folder, whatever carries it: a log of its own, a video with a track
// of subtitles or KLV, photographs with EXIF and XMP.
#pragma once

#include <optional>
#include <string>

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

struct FlightFileOptions {
  LogOptions log{};
  // Photographs of a folder lie so far apart, in the order of their names, and their time is the
  // video's. None: their own clocks count.
  std::optional<double> photos_per_second{};
};

// Errors: those of read_flight; a video without telemetry; photographs without a pose, or without
// times where none were given.
Result<Flight> read_flight_file(const std::string& path, const FlightFileOptions& options = {});

}  // namespace shingle::drone
