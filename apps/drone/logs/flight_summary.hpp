// What a flight log knows and what it lacks.
#pragma once

#include <string>
#include <vector>

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

struct FieldRange {
  const TelemetryField* field = nullptr;
  size_t samples = 0;  // that know it
  double least = 0.0, most = 0.0;
};

struct FlightSummary {
  double median_step_seconds = 0.0;    // 0: one sample
  std::vector<FieldRange> known{};     // in the order of telemetry_fields()
  std::vector<std::string> missing{};  // a sentence each: what lacks, and what to do or expect
};

FlightSummary summary_of(const Flight& flight);

// All samples as CSV: time or video_time, utc or local_time if there is a clock, then each quantity
// that some sample knows. read_csv_log reads it back without a column map.
std::string csv_of(const Flight& flight);

}  // namespace shingle::drone
