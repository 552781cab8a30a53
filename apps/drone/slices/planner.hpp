// SlicePlanner: from what is known of the pictures before to the slices of the next one.
//
//   scale    the flight's log, which also knows how much nearer the ground is at the lower border;
//            else boxes (BoxScale); while nobody knows, several layers: the whole
//            picture, half of that shrink, a quarter .., and the layer that finds most counts
//   slices   SliceChooser, for where vehicles should be (Forecast) and where roads are. A vehicle
//            whose velocity is not known yet is looked at in each picture, others in each sixth of
//            the time in which every place is: between looks the tracker predicts them
//
// A picture is planned by what was known after the picture `lag` before it, not by what happens to
// be known. So the plan, and with it every track, depends on the pictures alone, while `lag`
// pictures are under way.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "apps/drone/slices/box_scale.hpp"
#include "apps/drone/slices/choice.hpp"
#include "apps/drone/slices/forecast.hpp"
#include "apps/drone/slices/ground_scale.hpp"

namespace shingle::drone {

struct SlicePlannerOptions {
  double metres_per_pixel = 0.0;  // that the model was trained at; above 0
  int input_width = 0, input_height = 0;
  double full_every_seconds = 1.0;  // every place is looked at
  std::optional<size_t> most{};     // slices of a picture; above 0
  uint64_t lag = 1;                 // above 0
};

struct PictureToPlan {
  double seconds = 0.0;
  int width = 0, height = 0;
  std::optional<GroundScale> scale{};  // as a log has it
  double slice_share = 1.0;            // of a full cover, at most; 1: as many as are needed
};

// What was found in a picture.
struct PictureKnown {
  double seconds = 0.0;
  std::span<const VehicleSeen> tracks{};
  std::span<const PixelBox> whole_vehicles{};  // surely vehicles, none at the picture's border
  std::optional<RoadCells> road{};
};

struct SliceLayer {
  SliceGeometry geometry{};
  std::vector<PictureSlice> slices{};  // one at least
};

struct PicturePlan {
  std::vector<SliceLayer> layers{};  // one; more while the scale is not known
  size_t full_cover = 1;             // slices that show all of the picture at this scale
  size_t left_out = 0;               // slices beyond the most that were allowed
  bool knows_scale = false;          // shrinks, before their bounds, are those of the ground
};

class SlicePlanner {
 public:
  explicit SlicePlanner(const SlicePlannerOptions& options);

  // Is known what the next picture is planned by?
  bool may_plan() const;
  // REQUIRES: may_plan(); times grow.
  PicturePlan plan(const PictureToPlan& picture);
  // Of the pictures that were planned, each in its turn; if it could not be looked at with its time
  // alone.
  void follow(const PictureKnown& known);

 private:
  struct State {
    std::vector<MovingBox> vehicles{};
    std::optional<double> metres_per_pixel{};
    std::optional<RoadCells> road{};
  };
  uint64_t basis() const;  // the number of the picture that the next one is planned by
  SliceGeometry geometry_at(const PictureToPlan& picture, double shrink) const;
  void settle(const GroundScale& scale);
  SliceGeometry settled_geometry(const PictureToPlan& picture) const;
  PicturePlan search(const PictureToPlan& picture);
  PicturePlan sliced(const PictureToPlan& picture, const GroundScale& scale, const State* known);

  SlicePlannerOptions options_;
  SliceChooser chooser_;
  Forecast forecast_{};
  BoxScale scale_{};
  std::deque<State> states_{};  // after pictures, from `first_` on
  uint64_t first_ = 0, planned_ = 0, followed_ = 0;
  // Of the picture before, before any bounds: the shrink in the middle (0: the scale was not
  // known), and how many times greater it is at the lower border.
  double shrink_ = 0.0, slant_ = 1.0;
};

}  // namespace shingle::drone
