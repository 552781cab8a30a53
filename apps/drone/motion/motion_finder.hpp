// How the camera moved, from pictures alone: where a point of each picture is in its key frame.
//
//   picture  0 ----- 1 ----- 2 ----- 3 ----- 4 ----- 5      from_previous: flow from picture to
//   picture
//            key 0                   key 3
//            +-------+-------+       +-------+-------+      to_key: held against the key frame
//            itself,
//            +---------------------->+                        so errors do not add up
//                  key to key                               to_first: the key frames chained
//
// A picture becomes the next key frame when it shares less than half of its area with the present
// one, or when it cannot be held against it. Points lie outside of vehicles and of marks that are
// burnt into the pictures. Where too few points agree on a motion it is unknown; nothing is
// guessed. After a second of unknown motion a new chain begins, whose places have nothing to do
// with those before.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"
#include "apps/drone/motion/robust_homography.hpp"
#include "apps/drone/motion/still_marks.hpp"
#include "apps/drone/track/camera_motion.hpp"

namespace shingle::drone {

struct MotionOptions {
  int work_width = 960;       // wider pictures are shrunk by area; pixels given are the picture's
  double least_common = 0.5;  // of its area, that a picture shares with its key frame
  int most_points = 640;
  uint32_t patience = 30;           // pictures without a known motion before a new chain begins
  std::vector<PixelBox> ignored{};  // areas of all pictures
};

// Homographies are between whole pictures, in pixels; 0,0 is the corner of the first pixel.
struct PictureMotion {
  std::optional<Homography> from_previous{};  // previous picture -> this one; none: unknown
  std::optional<Homography> to_key{};         // this picture -> its key frame; none: unknown
  std::optional<Homography> to_first{};       // this picture -> the first one of its chain
  uint64_t key = 0, first = 0;                // numbers of these pictures, from 0 on
  size_t points = 0, agreeing = 0;            // with the key frame, or from picture to picture
  bool is_key = false;
};

class MotionFinder {
 public:
  explicit MotionFinder(MotionOptions options = {}) : options_(std::move(options)) {}

  // The next picture, 8-bit BGR or grey. `vehicles`: boxes on things that move. A picture of
  // another size begins a new chain.
  PictureMotion next(const cv::Mat& picture, std::span<const PixelBox> vehicles = {});

 private:
  struct Seen {  // a picture, at work size
    cv::Mat grey{}, allowed{};
    std::vector<cv::Mat> levels{};
    std::vector<cv::Point2f> corners{};
  };
  using Found = std::optional<RobustHomography>;
  struct KeyFound {
    Found found{};
    bool is_held = false;  // against the key frame itself, not only by the step to this picture
  };

  Seen seen(const cv::Mat& picture, std::span<const PixelBox> vehicles);
  cv::Mat allowed_at(cv::Size size, std::span<const PixelBox> vehicles) const;
  Found step_to(const Seen& now) const;
  KeyFound key_to(const Seen& now, const Found& step) const;
  Found refined(const Seen& now, const cv::Matx33d& expected) const;
  void begin_chain(Seen now, PictureMotion& motion);
  void begin_key(const Seen& now, PictureMotion& motion);
  void follow(const Seen& now, PictureMotion& motion);
  void lose(Seen now, PictureMotion& motion);
  Homography in_pixels(const cv::Matx33d& work) const;

  MotionOptions options_;
  cv::Size whole_{};      // of pictures
  double scale_ = 1.0;    // whole size / work size
  uint64_t count_ = 0;    // pictures seen
  uint32_t unknown_ = 0;  // pictures since the key frame was found last
  Seen key_{}, previous_{};
  uint64_t key_number_ = 0, first_number_ = 0;
  cv::Matx33d key_to_first_ = cv::Matx33d::eye();
  std::optional<cv::Matx33d> key_to_previous_{};  // none: unknown
  StillMarks marks_{};
};

}  // namespace shingle::drone
