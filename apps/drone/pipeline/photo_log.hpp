// The flight log that photographs are: of each its pose by XMP, and by EXIF what that lacks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

// `paths` in the order of taking. With a rate, photograph i has the video's time i / rate; files
// that are no pictures are passed over, as where the pictures are read. Without one the clocks of
// all count. Errors: no pictures, none with a pose, one without a clock that is needed.
Result<Flight> read_photo_log(const std::string& name, const std::vector<std::string>& paths,
                              std::optional<double> per_second, const LogOptions& options);

}  // namespace shingle::drone
