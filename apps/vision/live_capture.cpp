#include "apps/vision/live_capture.hpp"

namespace shingle {
namespace {

constexpr size_t held_pictures = 2;  // one to compute, one that waits

// A camera has no end: it was unplugged, or its driver failed.
Result<std::optional<TimedPicture>> next_of(LocalCamera& camera, const std::stop_token&) {
  cv::Mat picture;
  if (!camera.capture.read(picture) || picture.empty())
    return Error{"the camera gives no more pictures"};
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  // read() fills the same buffer again.
  return std::optional(TimedPicture{picture.clone(), camera.clock.next(std::nullopt, now.count())});
}

Result<std::optional<TimedPicture>> next_of(NetworkStream& stream, const std::stop_token& stop) {
  return stream.next(stop);
}

}  // namespace

LiveCapture::LiveCapture(LiveSource source)
    : source_(std::move(source)), thread_([this](const std::stop_token& stop) { read(stop); }) {}

void LiveCapture::read(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto picture = std::visit([&](auto& source) { return next_of(source, stop); }, source_);
    const std::lock_guard lock(mutex_);
    if (!picture) how_ = picture.failure();
    if (!picture || !*picture) break;
    pictures_.push_back(std::move(**picture));
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

Result<std::optional<TimedPicture>> LiveCapture::next() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return ended_ || !pictures_.empty(); });
  if (pictures_.empty()) {
    if (!how_) return how_.failure();
    return std::optional<TimedPicture>();
  }
  TimedPicture picture = std::move(pictures_.front());
  pictures_.pop_front();
  return std::optional(std::move(picture));
}

bool LiveCapture::ready(std::chrono::milliseconds longest) const {
  std::unique_lock lock(mutex_);
  return arrived_.wait_for(lock, longest, [this] { return ended_ || !pictures_.empty(); });
}

uint64_t LiveCapture::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace shingle
