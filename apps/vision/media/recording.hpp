// Recording: one video file, or several that are the parts of one, as cameras write them: stream
// time goes on from part to part, and so do the pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/vision/media/network_stream.hpp"

namespace shingle {

class Recording {
 public:
  // Opens every part, so that a bad one is told before anything begins. Errors, which name the
  // part: it cannot be read as a video; its pictures have another size than the first part's.
  // REQUIRES: there is a part.
  static Result<Recording> open(std::vector<std::string> parts);

  // The next picture, or none at the end. Time is each part's own, since its first picture; where
  // the file gives none, the rate counts. The next part begins a picture's length behind the last.
  // Errors: those of VideoReader; times that do not grow; a part without pictures.
  Result<std::optional<TimedPicture>> next();

  double frames_per_second() const { return frames_per_second_; }  // the first part's
  std::optional<uint64_t> frame_count() const { return frame_count_; }

 private:
  explicit Recording(std::vector<std::string> parts) : parts_(std::move(parts)) {}
  Status open_part();
  Status end_part();
  Result<TimedPicture> timed(VideoFrame frame);
  Error wrong(const std::string& what) const;  // with the part that is open

  std::vector<std::string> parts_;
  size_t part_ = 0;  // the one that is open
  std::optional<VideoReader> reader_{};
  std::optional<uint64_t> frame_count_{};
  double frames_per_second_ = 0.0;
  uint64_t given_ = 0;                  // by this part
  double begin_ = 0.0, seconds_ = 0.0;  // when this part began; of the last picture
  cv::Size size_{};                     // of all pictures
};

}  // namespace shingle
