// NetworkStream: pictures of a camera on the network (RTSP and whatever else libavformat takes by
// a URL). A lost connection is made again, with waits that grow, for as long as it was told to;
// stream time goes on over the gap. A recording, which says how long it is, ends at its end.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "apps/vision/media/stream_clock.hpp"
#include "apps/vision/media/video_reader.hpp"

namespace shingle {

struct TimedPicture {
  cv::Mat image;         // 8-bit BGR
  double seconds = 0.0;  // stream time, from the first picture on
};

struct ReconnectOptions {
  std::chrono::milliseconds first_picture{10000};  // how long the opening may take
  std::chrono::milliseconds silence{5000};         // after which a connection counts as lost
  std::chrono::milliseconds first_wait{250}, longest_wait{4000};  // between attempts; doubled
  std::chrono::milliseconds patience{60000};  // with a lost stream; 0: it ends with the connection
};

class NetworkStream {
 public:
  // Waits for the first picture. The sentence names the URL and says what is wrong.
  static Result<NetworkStream> open(const std::string& url, const ReconnectOptions& options = {});

  // The next picture; waits for it. None: a recording's end, or somebody asked to stop. An error:
  // the stream did not come back, or not as it was. What is lost and found is said on stderr.
  Result<std::optional<TimedPicture>> next(const std::stop_token& stop);

  double frames_per_second() const { return frames_per_second_; }  // 0: not told

 private:
  NetworkStream(std::string url, const ReconnectOptions& options)
      : url_(std::move(url)), options_(options) {}
  Status connect(std::chrono::milliseconds longest, const std::stop_token& stop);
  Result<bool> come_back(const std::string& reason, const std::stop_token& stop);
  TimedPicture timed(VideoFrame frame);

  std::string url_;
  ReconnectOptions options_;
  std::optional<VideoReader> reader_{};
  std::optional<VideoFrame> first_{};  // of this connection, not given yet
  cv::Size size_{};                    // of all pictures
  StreamClock clock_{};
  double frames_per_second_ = 0.0;
};

}  // namespace shingle
