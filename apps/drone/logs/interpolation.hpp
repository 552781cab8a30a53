// Telemetry at any time of a flight.
#pragma once

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

struct InterpolationLimits {
  double longest_gap_seconds = 5.0;   // between two samples that a value may be taken from between
  double longest_hold_seconds = 1.0;  // to which the first or last sample stands for times outside
};

// Each quantity on the straight line between the nearest samples before and after that have it;
// directions take the shorter way round. Outside, the nearest sample holds for a while. A quantity
// is not known where the samples that have it are further apart than `limits` say.
// Errors: `seconds` lies outside the log by more than the hold.
Result<Telemetry> telemetry_at(const Flight& flight, double seconds,
                               const InterpolationLimits& limits = {});

// The direction at `share` (0 to 1) of the shorter way from one to another, in degrees: 0 to 360 if
// both are, else above -180 up to 180.
double direction_between(double from, double to, double share);

}  // namespace shingle::drone
