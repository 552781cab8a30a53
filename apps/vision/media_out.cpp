#include "apps/vision/media_out.hpp"

#include <cstdio>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

constexpr double slideshow_frames_per_second = 2.0;  // a folder of images written as a video

Status write_image(const std::string& path, const cv::Mat& image) {
  const std::string ending = std::filesystem::path(path).extension().string();
  std::vector<unsigned char> bytes;
  if (!cv::imencode(ending, image, bytes)) return Error{"cannot write '" + path + "' as an image"};
  return write_file(path, std::as_bytes(std::span(bytes)));
}

bool is_mp4_name(const std::string& path) { return lower_ending(path) == ".mp4"; }

// The input that would be written over: the file itself, or the image that gets its name in the
// folder `path`.
std::optional<std::string> input_at(const std::string& path, const MediaInput& input) {
  std::error_code none;  // neither is there
  for (const std::string& file : input.files()) {
    if (std::filesystem::equivalent(path, file, none)) return file;
    const auto inside = std::filesystem::path(path) / std::filesystem::path(file).filename();
    if (!input.is_video() && std::filesystem::equivalent(inside, file, none)) return file;
  }
  return std::nullopt;
}

std::string numbered_name(uint64_t number) {
  char name[40];
  std::snprintf(name, sizeof name, "frame-%06llu.png", static_cast<unsigned long long>(number));
  return name;
}

}  // namespace

Result<MediaOutput> MediaOutput::open(const std::string& path, const MediaInput& input) {
  if (const auto file = input_at(path, input))
    return Error{"'" + path + "' would replace the input '" + *file +
                 "'; name another file or folder for the output"};
  const double rate = input.is_video() ? input.frames_per_second() : slideshow_frames_per_second;
  if (is_mp4_name(path)) return MediaOutput(path, Kind::mp4, rate);
  if (is_video_name(path)) return MediaOutput(path, Kind::video, rate);
  if (is_image_name(path)) {
    if (input.expected() == uint64_t{1} && !input.is_video())
      return MediaOutput(path, Kind::image, rate);
    return Error{"'" + path + "' is one image, but the input has many; name a folder or a video"};
  }
  const Status made = make_folder(path);
  if (!made) return Error{made.error()};
  return MediaOutput(path, Kind::folder, rate);
}

Status MediaOutput::write(const Picture& picture) {
  const uint64_t number = written_++;
  if (kind_ == Kind::mp4) return write_mp4(picture, number);
  if (kind_ == Kind::video) return write_video(picture);
  if (kind_ == Kind::image) return write_image(path_, picture.image);
  const std::string name = picture.name.empty() ? numbered_name(number) : picture.name;
  return write_image((std::filesystem::path(path_) / name).string(), picture.image);
}

Status MediaOutput::write_mp4(const Picture& picture, uint64_t number) {
  if (!mp4_) {
    auto opened = Mp4Writer::open(
        path_, {.size = picture.image.size(), .frames_per_second = frames_per_second_});
    if (!opened) return opened.failure();
    mp4_ = std::move(*opened);
  }
  return mp4_->write(picture.image,
                     picture.seconds.value_or(static_cast<double>(number) / frames_per_second_));
}

Status MediaOutput::write_video(const Picture& picture) {
  if (!video_) {
    auto opened = VideoWriter::open(path_, frames_per_second_, picture.image.size());
    if (!opened) return Error{opened.error()};
    video_ = std::move(*opened);
  }
  return video_->write(picture.image);
}

Status MediaOutput::close() {
  if (mp4_) return mp4_->close();
  return video_ ? video_->close() : success();
}

}  // namespace shingle
