// What the verb `log` prints.
#pragma once

#include <optional>
#include <string>

#include "apps/drone/logs/flight_summary.hpp"
#include "apps/drone/logs/offset.hpp"

namespace shingle::drone {

// A table: format, samples, times, ranges of what is known, what is missing, and the telemetry at
// one moment and the offset to a video if there are.
std::string log_text(const Flight& flight, const FlightSummary& summary,
                     const std::optional<Telemetry>& moment,
                     const std::optional<FoundOffset>& offset);

// One JSON object with the same, and a newline.
std::string log_json(const Flight& flight, const FlightSummary& summary,
                     const std::optional<Telemetry>& moment,
                     const std::optional<FoundOffset>& offset);

}  // namespace shingle::drone
