// The road layer: a model that says which pixels are road, every k-th picture. Its mask moves with
// the camera, so that it holds for the pictures between; boxes off the road are none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"
#include "apps/drone/slices/choice.hpp"
#include "apps/drone/track/camera_motion.hpp"
#include "apps/findings/finding.hpp"

namespace shingle::drone {

// Where a picture lies: in the first one of a chain of pictures (MotionFinder). None: unknown.
struct PicturePlace {
  std::optional<Homography> to_first{};
  uint64_t first = 0;
};

class RoadLayer {
 public:
  // `names`: of the model's classes. `wanted`: names or numbers with commas; empty: "road", or of
  // two classes the second one. Errors: as VehicleClasses, and no class is a road by its name.
  static Result<RoadLayer> make(const std::vector<std::string>& names, const std::string& wanted);

  void see(ClassMap mask, const PicturePlace& place);

  // Of a box in a picture at that place: a fifth of it or more is road, or nobody knows: there is
  // no mask yet, the camera's motion since is unknown, or most of the box lies outside of the mask.
  bool may_drive(const PixelBox& box, const PicturePlace& place) const;

  // Of a picture of that size at that place: cells on or beside what is road, or may be for all
  // that the mask shows. None: there is no mask yet, or the camera's motion since is unknown.
  std::optional<RoadCells> cells(const PicturePlace& place, double width, double height) const;

 private:
  std::optional<Homography> to_mask(const PicturePlace& place) const;
  enum class Ground : uint8_t { road, other, unseen };
  Ground at(double x, double y) const;

  std::vector<int> classes_{};  // ascending
  std::optional<ClassMap> mask_{};
  PicturePlace place_{};
};

}  // namespace shingle::drone
