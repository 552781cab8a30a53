// How each picture of a run is turned and scaled against its key frame. Boxes are upright in their
// own picture: where the camera has turned since the key frame, a vehicle lies in its box as its
// heading in that picture says, not as the one in the key frame does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "apps/drone/count/sighting.hpp"

namespace shingle::drone {

struct PictureTurn {
  PlanePoint east{1.0, 0.0};  // the picture's x axis, as a unit vector of the key frame
  double scale = 1.0;         // pixels of the key frame in a pixel of the picture

  // A direction of the key frame, as it lies in the picture.
  PlanePoint in_picture(PlanePoint of_key) const {
    return {of_key.x * east.x + of_key.y * east.y, of_key.y * east.x - of_key.x * east.y};
  }
};

class PictureTurns {
 public:
  PictureTurns() = default;
  explicit PictureTurns(std::span<const Sighting> sightings) { add(sightings); }

  // By the middles of a picture's boxes and where these lie in the key frame (least squares).
  // REQUIRES: of no picture that was added before.
  void add(std::span<const Sighting> sightings);
  void forget_before(uint32_t frame);

  // None: fewer than two vehicles of the picture have a place in the key frame, or all are at one
  // place.
  std::optional<PictureTurn> of(uint32_t frame) const;

 private:
  std::map<uint32_t, PictureTurn> turns_{};
};

}  // namespace shingle::drone
