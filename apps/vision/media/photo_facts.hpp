// PhotoFacts: what a photograph's file says of its place, lens and time: EXIF (JEITA CP-3451), and
// the XMP packet as text. Read by Exiv2.
#pragma once

#include <optional>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

struct PhotoFacts {
  std::string xmp{};                              // the packet; empty: none
  std::optional<double> latitude{}, longitude{};  // WGS84, degrees
  std::optional<double> altitude{};               // m above sea level
  std::optional<double> focal_length{};           // mm
  std::optional<double> focal_35mm{};             // mm, of a film 36 mm wide
  std::string taken{};  // "2016-08-07 13:30:17", local time of the place; empty: not told
};

// An error: the file cannot be read as a picture.
Result<PhotoFacts> photo_facts(const std::string& path);

}  // namespace shingle
