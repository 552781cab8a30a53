// VideoWriter: a video file that tells when it cannot be written. OpenCV's writer swallows write
// errors, and a file whose end is missing cannot be played; so this one stops while there is still
// room for the end, and looks at the file once it is closed.
#pragma once

#include <cstdint>
#include <opencv2/videoio.hpp>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

bool is_video_name(const std::string& path);

class VideoWriter {
 public:
  static Result<VideoWriter> open(const std::string& path, double frames_per_second, cv::Size size);

  // An error when the picture has another size or the disk is nearly full; the video then still
  // ends well with the frames before it.
  Status write(const cv::Mat& picture);

  // Writes the end and checks that all frames are there. Safe to call again.
  Status close();

 private:
  VideoWriter(std::string path, cv::VideoWriter writer, cv::Size size)
      : path_(std::move(path)), writer_(std::move(writer)), size_(size) {}
  std::string path_;
  cv::VideoWriter writer_;
  cv::Size size_;
  uint64_t written_ = 0;
};

}  // namespace shingle
