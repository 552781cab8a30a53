#include "apps/vision/video_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/vision/media_in.hpp"

namespace shingle {
namespace {

namespace files = std::filesystem;

// Kept free for the frames inside the encoder, FFmpeg's buffers and the index at the end (some 20
// bytes per frame): 1 MiB, and one picture uncompressed.
uint64_t reserve_bytes(cv::Size size) {
  return (uint64_t{1} << 20) + static_cast<uint64_t>(size.area()) * 3;
}

int codec_of(const std::string& path) {
  if (lower_ending(path) == ".avi") return cv::VideoWriter::fourcc('M', 'J', 'P', 'G');
  return cv::VideoWriter::fourcc('m', 'p', '4', 'v');
}

// The system's reason why the file cannot be made; 0 when it can.
int reason_against(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return errno;
  ::close(descriptor);
  return 0;
}

bool nearly_full(const std::string& path, cv::Size size) {
  std::error_code error;
  const files::space_info space = files::space(files::absolute(path).parent_path(), error);
  return !error && space.capacity > 0 && space.available < reserve_bytes(size);
}

}  // namespace

bool is_video_name(const std::string& path) {
  const std::string ending = lower_ending(path);
  return ending == ".mp4" || ending == ".avi" || ending == ".mkv" || ending == ".mov";
}

Result<VideoWriter> VideoWriter::open(const std::string& path, double frames_per_second,
                                      cv::Size size) {
  if (const int reason = reason_against(path); reason != 0)
    return Error{"cannot write '" + path + "': " + std::strerror(reason)};
  if (nearly_full(path, size))
    return Error{"the disk that holds '" + path + "' is nearly full; nothing was written"};
  cv::VideoWriter writer(path, cv::CAP_FFMPEG, codec_of(path), frames_per_second, size);
  if (!writer.isOpened()) return Error{"cannot write '" + path + "' as a video"};
  return VideoWriter(path, std::move(writer), size);
}

Status VideoWriter::write(const cv::Mat& picture) {
  if (picture.size() != size_)
    return Error{"all frames of the video '" + path_ + "' must have one size; write to a folder"};
  if (nearly_full(path_, size_))
    return Error{"the disk that holds '" + path_ + "' is nearly full; its first " +
                 std::to_string(written_) + " frames are kept"};
  writer_.write(picture);
  ++written_;
  return success();
}

Status VideoWriter::close() {
  if (!writer_.isOpened()) return success();
  writer_.release();
  const cv::VideoCapture check(path_, cv::CAP_FFMPEG);
  const double found = check.isOpened() ? check.get(cv::CAP_PROP_FRAME_COUNT) : 0.0;
  if (found + 1.0 >= static_cast<double>(written_)) return success();  // Matroska's is an estimate
  return Error{"'" + path_ + "' could not be written whole: " + std::to_string(written_) +
               " frames were given, " +
               std::to_string(static_cast<uint64_t>(std::max(found, 0.0))) +
               " can be read (is the disk full?)"};
}

}  // namespace shingle
