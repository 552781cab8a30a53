// The pictures of a video, frame by frame beside its detections: how the camera moved between two
// frames, and where boxes went. Frames count from 1.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/drone/motion/box_flow.hpp"
#include "apps/drone/motion/frame_motion.hpp"
#include "apps/vision/media_in.hpp"

namespace shingle::drone {

class VideoPictures {
 public:
  // A video file or a folder of images. Errors: those of MediaInput; a live source.
  static Result<VideoPictures> open(const std::string& path);

  std::optional<uint64_t> expected() const { return input_.expected(); }
  uint32_t frame() const { return frame_; }  // 0: none as yet
  bool has_times() const { return input_.is_video(); }
  double frames_per_second() const { return input_.frames_per_second(); }  // 0 of images
  std::optional<double> seconds() const { return now_.seconds; }           // of the last picture
  double width() const { return now_.image.cols; }  // of the last picture, pixels
  double height() const { return now_.image.rows; }

  // The next picture; false at the end. `vehicles`: boxes on what moves in it.
  Result<bool> next(std::span<const PixelBox> vehicles);
  const PictureMotion& motion() const { return motion_; }  // of the last picture

  // Goes on to the frame, looking at each picture on the way. It is an error if the video ends
  // before. REQUIRES: it is after the present one.
  Status go_to(uint32_t frame, std::span<const PixelBox> vehicles);
  // Since the last but one go_to(); none: unknown on the way, or this is the first one.
  const std::optional<Homography>& camera_motion() const { return camera_motion_; }
  // Boxes of the frame before, followed by optical flow to the last go_to().
  std::vector<FollowedBox> follow(std::span<const PixelBox> boxes) const;

 private:
  VideoPictures(std::string path, MediaInput input)
      : path_(std::move(path)), input_(std::move(input)) {}

  std::string path_;
  MediaInput input_;
  MotionFinder finder_{};
  PictureMotion motion_{};
  Picture before_{}, now_{};  // of go_to()
  uint32_t frame_ = 0;
  FrameMotion between_{};
  std::optional<Homography> camera_motion_{};
};

}  // namespace shingle::drone
