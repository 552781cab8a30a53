// VideoReader: the pictures of a video file or of a stream on the network, each with its time, by
// libavformat and libavcodec. Pictures come upright, as the file says that they are shown.
#pragma once

#include <chrono>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

struct VideoFrame {
  cv::Mat image;                    // 8-bit BGR
  std::optional<double> seconds{};  // since the first picture; none: the source gives no times
};

struct VideoReaderOptions {
  std::chrono::milliseconds longest_wait{10000};  // for the opening, and then for each picture
  bool is_live = false;                           // each picture as soon as it is there
};

class VideoReader {
 public:
  // A path, or a URL. The sentence does not name the source: "Connection refused".
  static Result<VideoReader> open(const std::string& source, const VideoReaderOptions& options = {},
                                  const std::stop_token& stop = {});
  VideoReader(VideoReader&& other) noexcept;
  VideoReader& operator=(VideoReader&& other) noexcept;
  ~VideoReader();

  // The next picture, or none at the end. Damaged ones are passed over. Errors: nothing came in
  // time, or somebody asked to stop (runtime); a picture's size changes, it is turned by other than
  // a quarter, it is HDR (bad input).
  Result<std::optional<VideoFrame>> next(const std::stop_token& stop = {});

  double frames_per_second() const;             // 0: the source does not say
  std::optional<uint64_t> frame_count() const;  // by its head; none: it does not say
  bool has_end() const;                         // a recording, which says how long it is
  cv::Size size() const;  // of its pictures, upright, by its head; empty: not known yet

 private:
  struct State;
  explicit VideoReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingle
