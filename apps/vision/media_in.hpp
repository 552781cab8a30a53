// MediaInput: pictures one after the other, from an image, a folder of images, a video file, a
// camera ("camera:0") or a stream ("rtsp://..."). Files give every picture; live sources give the
// recent ones and count what they dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apps/vision/live_capture.hpp"
#include "partition/base/result.hpp"

namespace shingle {

struct Picture {
  cv::Mat image;     // 8-bit BGR, never empty
  std::string name;  // of the image file without its folder; empty for videos and live sources
};

class MediaInput {
 public:
  // The sentence names the input and what is wrong with it.
  static Result<MediaInput> open(const std::string& input);

  // The next picture, or none at the end. What cannot be read in a folder is left out and said on
  // stderr; an error if it is all that there is, or the one image that was named.
  Result<std::optional<Picture>> next();
  const std::vector<std::string>& left_out() const { return left_out_; }  // names

  // Would next() give something at once? Always true of files.
  bool ready() const;
  bool is_live() const { return std::holds_alternative<std::unique_ptr<LiveCapture>>(source_); }
  bool is_video() const { return !std::holds_alternative<Images>(source_); }  // or live
  double frames_per_second() const { return frames_per_second_; }             // 0 for images
  std::optional<uint64_t> expected() const { return expected_; }  // pictures; none when not known
  uint64_t dropped() const;                                       // by a live source

 private:
  struct Images {
    std::vector<std::string> paths;
    bool folder = false;
    size_t next = 0;
  };
  struct Video {
    cv::VideoCapture capture;
    uint64_t given = 0;
  };
  using Source = std::variant<Images, Video, std::unique_ptr<LiveCapture>>;

  MediaInput(std::string name, Source source)
      : name_(std::move(name)), source_(std::move(source)) {}
  static Result<MediaInput> open_images(const std::string& input, Images images);
  static Result<MediaInput> open_video(const std::string& input);
  static Result<MediaInput> open_live(const std::string& input, cv::VideoCapture capture);

  Result<std::optional<Picture>> next_of(Images& images);
  Result<std::optional<Picture>> next_of(Video& video);
  Result<std::optional<Picture>> next_of(std::unique_ptr<LiveCapture>& live);

  std::string name_;
  Source source_;
  double frames_per_second_ = 0.0;
  std::optional<uint64_t> expected_;
  std::vector<std::string> left_out_;
};

// Pictures of a folder in the order of their names; by their endings.
std::vector<std::string> images_in(const std::string& folder);
bool is_image_name(const std::string& path);

// OpenCV and FFmpeg talk on stderr about what we say in one sentence: silences them.
void quiet_media_libraries();

}  // namespace shingle
