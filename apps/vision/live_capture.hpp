// LiveCapture: a camera or stream read by a thread of its own, so that what comes out is recent. It
// holds at most two pictures; when a third arrives the oldest is dropped and counted.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <opencv2/videoio.hpp>
#include <optional>
#include <thread>

namespace shingle {

class LiveCapture {
 public:
  explicit LiveCapture(cv::VideoCapture capture);  // REQUIRES: it is open

  std::optional<cv::Mat> next();  // waits; none when the source has ended
  bool ready() const;             // would next() answer at once?
  uint64_t dropped() const;

 private:
  void read(const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<cv::Mat> pictures_;
  bool ended_ = false;
  uint64_t dropped_ = 0;
  cv::VideoCapture capture_;  // the thread's own
  std::jthread thread_;       // last: it starts when all else stands, and is joined first
};

}  // namespace shingle
