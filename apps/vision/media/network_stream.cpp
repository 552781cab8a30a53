#include "apps/vision/media/network_stream.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace shingle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// False: somebody asked to stop.
bool wait(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

Result<NetworkStream> NetworkStream::open(const std::string& url, const ReconnectOptions& options) {
  NetworkStream stream(url, options);
  if (const Status connected = stream.connect(options.first_picture, {}); !connected)
    return bad_input("cannot open '" + url + "': " + connected.error());
  stream.size_ = stream.first_->image.size();
  stream.frames_per_second_ = stream.reader_->frames_per_second();
  return stream;
}

// To its first picture.
Status NetworkStream::connect(milliseconds longest, const std::stop_token& stop) {
  auto reader = VideoReader::open(url_, {.longest_wait = longest, .is_live = true}, stop);
  if (!reader) return reader.failure();
  auto picture = reader->next(stop);
  if (!picture) return picture.failure();
  if (!*picture) return Error{"it ended before its first picture"};
  reader_ = std::move(*reader);
  first_ = std::move(**picture);
  return success();
}

Result<std::optional<TimedPicture>> NetworkStream::next(const std::stop_token& stop) {
  while (!first_) {
    auto picture = reader_->next(stop);
    if (stop.stop_requested()) return std::optional<TimedPicture>();
    if (picture && *picture) {
      first_ = std::move(**picture);
      break;
    }
    if (!picture && picture.failure().kind == ErrorKind::bad_input)
      return bad_input("cannot read '" + url_ + "': " + picture.error());
    if (picture && reader_->has_end()) return std::optional<TimedPicture>();
    const auto is_back = come_back(picture ? "the other side ended it" : picture.error(), stop);
    if (!is_back) return is_back.failure();
    if (!*is_back) return std::optional<TimedPicture>();
  }
  VideoFrame frame = std::move(*first_);
  first_.reset();
  return std::optional(timed(std::move(frame)));
}

// False: somebody asked to stop.
Result<bool> NetworkStream::come_back(const std::string& reason, const std::stop_token& stop) {
  const auto lost = Clock::now(), until = lost + options_.patience;
  reader_.reset();
  spdlog::warn("lost '{}': {}; trying again for {:.0f} s", url_, reason,
               std::chrono::duration<double>(options_.patience).count());
  std::string last_reason = reason;
  for (milliseconds pause = options_.first_wait;;
       pause = std::min(2 * pause, options_.longest_wait)) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    if (left <= milliseconds(0))
      return Error{"'" + url_ + "' was lost and did not come back: " + last_reason};
    if (!wait(std::min(pause, left), stop)) return false;
    const Status connected = connect(options_.silence, stop);
    if (stop.stop_requested()) return false;
    if (connected) break;
    last_reason = connected.error();
  }
  if (first_->image.size() != size_)
    return bad_input("'" + url_ + "' came back with pictures of another size; begin a new run");
  spdlog::warn("'{}' is back after {:.1f} s", url_, seconds_since(lost));
  clock_.begin_anew();
  return true;
}

TimedPicture NetworkStream::timed(VideoFrame frame) {
  const std::chrono::duration<double> now = Clock::now().time_since_epoch();
  return {.image = std::move(frame.image), .seconds = clock_.next(frame.seconds, now.count())};
}

}  // namespace shingle
