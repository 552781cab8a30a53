#include "apps/vision/media/recording.hpp"

#include <spdlog/spdlog.h>

#include <cassert>
#include <cstdio>

#include "apps/system/foreign_file.hpp"

namespace shingle {
namespace {

constexpr double usual_frames_per_second = 25.0;  // where the source does not say

std::string seconds_text(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

// "it is a Git LFS pointer, .."; or what libav says where the file is a video.
std::string reason_against(const std::string& path, const Error& error) {
  if (const auto foreign = foreign_media(path)) return ": it " + *foreign;
  return error.kind == ErrorKind::bad_input ? ": " + error.sentence : "";
}

}  // namespace

Result<Recording> Recording::open(std::vector<std::string> parts) {
  assert(!parts.empty());
  Recording recording(std::move(parts));
  uint64_t frames = 0;
  bool all_are_counted = true;
  for (size_t i = recording.parts_.size(); i-- > 0;) {  // the first one stays open
    recording.part_ = i;
    if (const Status opened = recording.open_part(); !opened) return opened.failure();
    const auto count = recording.reader_->frame_count();
    all_are_counted = all_are_counted && count;
    frames += count.value_or(0);
    const cv::Size size = recording.reader_->size();
    if (i + 1 < recording.parts_.size() && size != recording.size_)
      return bad_input("'" + recording.parts_[i + 1] + "' has pictures of another size than '" +
                       recording.parts_[i] + "'; parts of one recording have one size");
    recording.size_ = size;
  }
  if (all_are_counted) recording.frame_count_ = frames;
  const double rate = recording.reader_->frames_per_second();
  recording.frames_per_second_ = rate > 0.0 ? rate : usual_frames_per_second;
  return recording;
}

Status Recording::open_part() {
  const std::string& path = parts_[part_];
  auto reader = VideoReader::open(path);
  if (!reader)
    return bad_input("cannot read '" + path + "' as an image or a video" +
                     reason_against(path, reader.failure()));
  reader_ = std::move(*reader);
  given_ = 0;
  return success();
}

Result<std::optional<TimedPicture>> Recording::next() {
  for (;;) {
    auto frame = reader_->next();
    if (!frame) return wrong(frame.error());
    if (*frame) {
      auto picture = timed(std::move(**frame));
      if (!picture) return picture.failure();
      return std::optional(std::move(*picture));
    }
    if (const Status ended = end_part(); !ended) return ended.failure();
    if (part_ + 1 == parts_.size()) return std::optional<TimedPicture>();
    ++part_;
    if (const Status opened = open_part(); !opened) return opened.failure();
    begin_ = seconds_ + 1.0 / frames_per_second_;
  }
}

Status Recording::end_part() {
  if (given_ == 0) return bad_input("there is no readable frame in '" + parts_[part_] + "'");
  const auto announced = reader_->frame_count();
  if (announced && given_ < *announced)
    spdlog::warn("'{}' announces {} frames, {} could be read", parts_[part_], *announced, given_);
  return success();
}

Result<TimedPicture> Recording::timed(VideoFrame frame) {
  const double by_rate = given_ == 0 ? begin_ : seconds_ + 1.0 / frames_per_second_;
  const double seconds = frame.seconds ? begin_ + *frame.seconds : by_rate;
  if (given_ > 0 && seconds <= seconds_)
    return wrong("its frame " + std::to_string(given_ + 1) + " is shown at " +
                 seconds_text(seconds - begin_) + ", not after the one before at " +
                 seconds_text(seconds_ - begin_) +
                 "; give it new times with 'ffmpeg -i IN -vf setpts=N/FRAME_RATE/TB OUT'");
  ++given_;
  seconds_ = seconds;
  return TimedPicture{.image = std::move(frame.image), .seconds = seconds};
}

Error Recording::wrong(const std::string& what) const {
  return bad_input("cannot read '" + parts_[part_] + "': " + what);
}

}  // namespace shingle
