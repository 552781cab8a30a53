// MediaInput: pictures one after the other, from an image, a folder of images, a video file or
// several that are one recording, a camera ("camera:0") or a stream ("rtsp://..."). Files give
// every picture; live sources give the recent ones and count what they dropped.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apps/vision/live_capture.hpp"
#include "apps/vision/media/recording.hpp"
#include "partition/base/result.hpp"

namespace shingle {

struct Picture {
  cv::Mat image;     // 8-bit BGR, never empty
  std::string name;  // of the image file without its folder; empty for videos and live sources
  // Stream time, from the first picture on: a video's or stream's own, of cameras when it was taken
  // from them. It grows from picture to picture. None: images.
  std::optional<double> seconds{};
};

class MediaInput {
 public:
  // The sentence names the input and what is wrong with it.
  static Result<MediaInput> open(const std::string& input, const ReconnectOptions& options = {});
  // Several are video files, the parts of one recording. REQUIRES: there is one.
  static Result<MediaInput> open(const std::vector<std::string>& inputs,
                                 const ReconnectOptions& options = {});

  // The next picture, or none at the end. What cannot be read in a folder is left out and said on
  // stderr; an error if it is all that there is, or the one image that was named.
  Result<std::optional<Picture>> next();
  const std::vector<std::string>& left_out() const { return left_out_; }  // names
  const std::vector<std::string>& files() const { return files_; }        // paths; none if live

  // Would next() give something at once, now or within this time? Always true of files.
  bool ready(std::chrono::milliseconds longest = std::chrono::milliseconds(0)) const;
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
  using Source = std::variant<Images, Recording, std::unique_ptr<LiveCapture>>;

  MediaInput(std::string name, Source source)
      : name_(std::move(name)), source_(std::move(source)) {}
  static Result<MediaInput> open_images(const std::string& input, Images images);
  static Result<MediaInput> open_recording(const std::vector<std::string>& parts);
  static Result<MediaInput> open_camera(const std::string& input);
  static Result<MediaInput> open_stream(const std::string& url, const ReconnectOptions& options);
  static MediaInput live(const std::string& input, LiveSource source, double frames_per_second);

  Result<std::optional<Picture>> next_of(Images& images);
  Result<std::optional<Picture>> next_of(Recording& recording);
  Result<std::optional<Picture>> next_of(std::unique_ptr<LiveCapture>& live);

  std::string name_;
  Source source_;
  double frames_per_second_ = 0.0;
  std::optional<uint64_t> expected_;
  std::vector<std::string> left_out_, files_;
};

// Pictures of a folder in the order of their names; by their endings.
std::vector<std::string> images_in(const std::string& folder);
bool is_image_name(const std::string& path);
// ".mp4" of "A.MP4".
std::string lower_ending(const std::string& path);

// OpenCV and FFmpeg talk on stderr about what we say in one sentence: silences them.
void quiet_media_libraries();

}  // namespace shingle
