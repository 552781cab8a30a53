// LiveCapture: a camera or stream read by a thread of its own, so that what comes out is recent. It
// holds at most two pictures; when a third arrives the oldest is dropped and counted.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <opencv2/videoio.hpp>
#include <optional>
#include <thread>
#include <variant>

#include "apps/vision/media/network_stream.hpp"

namespace shingle {

// A camera of this machine. Stream time is when a picture was taken from it.
struct LocalCamera {
  cv::VideoCapture capture;
  StreamClock clock{};
};
using LiveSource = std::variant<LocalCamera, NetworkStream>;

class LiveCapture {
 public:
  explicit LiveCapture(LiveSource source);  // REQUIRES: it is open

  // Waits; none when the source has ended. An error: why it ended.
  Result<std::optional<TimedPicture>> next();
  // Would next() answer at once, now or within this time?
  bool ready(std::chrono::milliseconds longest = std::chrono::milliseconds(0)) const;
  uint64_t dropped() const;

 private:
  void read(const std::stop_token& stop);

  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::deque<TimedPicture> pictures_;
  bool ended_ = false;
  Status how_ = success();  // it ended
  uint64_t dropped_ = 0;
  LiveSource source_;    // the thread's own
  std::jthread thread_;  // last: it starts when all else stands, and is joined first
};

}  // namespace shingle
