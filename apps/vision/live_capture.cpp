#include "apps/vision/live_capture.hpp"

namespace shingle {
namespace {

constexpr size_t held_pictures = 2;  // one to compute, one that waits

}  // namespace

LiveCapture::LiveCapture(cv::VideoCapture capture)
    : capture_(std::move(capture)), thread_([this](const std::stop_token& stop) { read(stop); }) {}

void LiveCapture::read(const std::stop_token& stop) {
  cv::Mat picture;
  while (!stop.stop_requested() && capture_.read(picture) && !picture.empty()) {
    const std::lock_guard lock(mutex_);
    pictures_.push_back(picture.clone());  // read() fills the same buffer again
    if (pictures_.size() > held_pictures) {
      pictures_.pop_front();
      ++dropped_;
    }
    arrived_.notify_one();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  arrived_.notify_one();
}

std::optional<cv::Mat> LiveCapture::next() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return ended_ || !pictures_.empty(); });
  if (pictures_.empty()) return std::nullopt;
  cv::Mat picture = std::move(pictures_.front());
  pictures_.pop_front();
  return picture;
}

bool LiveCapture::ready() const {
  const std::lock_guard lock(mutex_);
  return ended_ || !pictures_.empty();
}

uint64_t LiveCapture::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace shingle
