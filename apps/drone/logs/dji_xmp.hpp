// The pose in a DJI photograph: names of the namespace "http://www.dji.com/drone-dji/1.0/" in its
// XMP packet (ISO 16684-1), which lies in a JPEG as plain text. Either form of a property is read:
//   drone-dji:RelativeAltitude="+99.00"      <drone-dji:RelativeAltitude>+99.00</drone-dji:...>
#pragma once

#include <string>
#include <string_view>

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

bool is_dji_xmp(std::string_view bytes);  // anywhere in them: a packet, or a picture with one

// One sample at 0 s. The clock is xmp:CreateDate, if that has a time of day.
Result<Flight> read_dji_xmp(std::string_view bytes, const std::string& name,
                            const LogOptions& options = {});

}  // namespace shingle::drone
