// Lookout: what the models compute of each picture of a flight: the whole picture or slices of it,
// the road's mask or not, and what is left out when pictures come too fast. And from what was found
// in the slices to what was found in the picture.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "apps/drone/slices/cut.hpp"
#include "apps/drone/slices/merge.hpp"
#include "apps/drone/slices/planner.hpp"
#include "apps/drone/slices/shed.hpp"
#include "apps/drone/track/track.hpp"
#include "apps/run/run_sink.hpp"

namespace shingle::drone {

// The shortest car on roads is 2.7 m long, and no upright box around it is shorter, seen from
// above.
inline constexpr double shortest_car_metres = 2.6;

struct LookoutOptions {
  std::optional<SlicePlannerOptions> slices{};  // none: whole pictures
  Shape input{};                                // of the detector
  Preparation preparation{};
  float max_overlap = 0.45F;  // of two boxes
  // Metres of ground that the longer side of a car's box must show.
  double min_length = shortest_car_metres;
  std::optional<uint64_t> mask_every{};  // pictures; none: there are no masks
  bool sheds = false;
};

class Lookout {
 public:
  explicit Lookout(const LookoutOptions& options);

  bool may_begin() const { return !planner_ || planner_->may_plan(); }
  // Is the road's mask computed of this picture, if it is not left out?
  bool wants_mask(uint64_t frame) const;

  // Images for the detector; none: the picture is left out. `scale`: as a log has it.
  std::vector<cv::Mat> look_at(const ArrivedPicture& arrived, double seconds,
                               const std::optional<GroundScale>& scale);
  // Was this picture's mask left out, though its turn had come?
  bool left_out_mask(uint64_t frame) const { return unmasked_.contains(frame); }

  // The parts of this picture in which vehicles can be found; none: all of it. REQUIRES: it was not
  // followed yet.
  std::optional<std::vector<PixelBox>> looked_parts(uint64_t frame) const;
  // Is the box too short for a car, by the ground scale of this picture's slices? False where the
  // scale is not known, where the camera looks slantwise, so that vehicles look shorter, and at the
  // picture's border, which cuts them.
  bool is_too_short(uint64_t frame, const PixelBox& box) const;
  // Boxes in the picture, whatever they were found in. A finding without boxes stays what it is.
  Finding joined(uint64_t frame, std::vector<Finding> findings);
  void followed(uint64_t frame, const PictureKnown& known);

  void add_to(Summary& summary) const;

 private:
  struct Looked {                      // at a picture that is under way
    std::vector<CutImage> cuts{};      // without their pixels
    std::vector<SliceLayer> layers{};  // none: the whole picture
    bool knows_scale = false;          // it has one layer then
    std::vector<PixelBox> agreed{};    // whole vehicles that two layers have
  };
  Detections best_layer(Looked& looked, std::span<SliceFinding> found) const;
  bool is_left_out(const ArrivedPicture& arrived, double seconds);
  void plan_slices(const ArrivedPicture& arrived, double seconds,
                   const std::optional<GroundScale>& scale, Looked& looked);

  LookoutOptions options_;
  std::optional<SlicePlanner> planner_{};
  std::optional<ShedControl> shed_{};
  std::map<uint64_t, Looked> looked_{};  // by frame
  std::set<uint64_t> unmasked_{};        // frames under way whose masks were left out
  std::optional<uint64_t> last_mask_{};
  uint64_t dropped_ = 0;  // by the source
  SliceSummary counts_{};
  ShedSummary left_out_{};
};

// What tells of the ground's scale: boxes that do not touch the picture's border, the surest ones
// of which there are enough (`sure_scores`).
std::vector<PixelBox> whole_vehicles(std::span<const DetectedBox> found, cv::Size picture);

}  // namespace shingle::drone
