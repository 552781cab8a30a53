#include "apps/vision/media_in.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/system/foreign_file.hpp"

namespace shingle {
namespace {

namespace files = std::filesystem;
constexpr double usual_frames_per_second = 25.0;  // where the source does not say
constexpr std::string_view camera_prefix = "camera:";

std::string lower_ending(const std::string& path) {
  std::string ending = files::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending;
}

std::optional<int> camera_number(const std::string& input) {
  if (!input.starts_with(camera_prefix)) return std::nullopt;
  int number = -1;
  const char* end = input.data() + input.size();
  const auto [stop, error] = std::from_chars(input.data() + camera_prefix.size(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

double rate_of(const cv::VideoCapture& capture) {
  const double rate = capture.get(cv::CAP_PROP_FPS);
  return rate > 0.0 && rate < 1000.0 ? rate : usual_frames_per_second;
}

// "'a.png' as an image: it is a Git LFS pointer, ..."
std::string no_image(const std::string& path) {
  const auto foreign = foreign_media(path);
  return "'" + path + "' as an image" + (foreign ? ": it " + *foreign : "");
}

// Empty where there is none. OpenCV throws at a picture that says that it is huge.
cv::Mat decoded(const std::string& path) {
  try {
    return cv::imread(path, cv::IMREAD_COLOR);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

bool is_image_name(const std::string& path) {
  static constexpr std::array endings{".jpg",  ".jpeg", ".png",  ".bmp",
                                      ".webp", ".tif",  ".tiff", ".ppm"};
  return std::find(endings.begin(), endings.end(), lower_ending(path)) != endings.end();
}

std::vector<std::string> images_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto& entry : files::directory_iterator(folder, ignored))
    if (is_image_name(entry.path().string()) && entry.is_regular_file(ignored))
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

void quiet_media_libraries() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);  // AV_LOG_QUIET
}

Result<MediaInput> MediaInput::open(const std::string& input) {
  quiet_media_libraries();
  if (input.starts_with(camera_prefix)) {
    const std::optional<int> number = camera_number(input);
    if (!number) return Error{"'" + input + "' is not a camera; write camera:0"};
    return open_live(input, cv::VideoCapture(*number, cv::CAP_V4L2));
  }
  if (input.find("://") != std::string::npos)
    return open_live(input, cv::VideoCapture(input, cv::CAP_FFMPEG));
  std::error_code ignored;
  if (files::is_directory(input, ignored)) return open_images(input, {images_in(input), true});
  if (!files::exists(input, ignored)) return Error{"there is no file or folder '" + input + "'"};
  if (is_image_name(input)) return open_images(input, {{input}});
  return open_video(input);
}

Result<MediaInput> MediaInput::open_images(const std::string& input, Images images) {
  if (images.paths.empty()) return Error{"there is no image in the folder '" + input + "'"};
  // Before anything else begins; and codecs, which take 10 MB, are there from now on.
  if (!cv::haveImageReader(images.paths.front()) && !images.folder)
    return Error{"cannot read " + no_image(images.paths.front())};
  const uint64_t count = images.paths.size();
  MediaInput media(input, std::move(images));
  media.expected_ = count;
  return media;
}

Result<MediaInput> MediaInput::open_video(const std::string& input) {
  cv::VideoCapture capture(input, cv::CAP_FFMPEG);
  if (!capture.isOpened()) {
    const auto foreign = foreign_media(input);
    return Error{"cannot read '" + input + "' as an image or a video" +
                 (foreign ? ": it " + *foreign : "")};
  }
  const double rate = rate_of(capture), count = capture.get(cv::CAP_PROP_FRAME_COUNT);
  MediaInput media(input, Video{.capture = std::move(capture)});
  media.frames_per_second_ = rate;
  if (count > 0.0 && count < 1e12) media.expected_ = static_cast<uint64_t>(count);
  return media;
}

Result<MediaInput> MediaInput::open_live(const std::string& input, cv::VideoCapture capture) {
  if (!capture.isOpened()) return Error{"cannot open '" + input + "'"};
  const double rate = rate_of(capture);
  MediaInput media(input, std::make_unique<LiveCapture>(std::move(capture)));
  media.frames_per_second_ = rate;
  return media;
}

Result<std::optional<Picture>> MediaInput::next() {
  return std::visit([this](auto& source) { return next_of(source); }, source_);
}

Result<std::optional<Picture>> MediaInput::next_of(Images& images) {
  while (images.next < images.paths.size()) {
    const std::string& path = images.paths[images.next++];
    const std::string name = files::path(path).filename().string();
    cv::Mat image = decoded(path);
    if (!image.empty()) return std::optional(Picture{std::move(image), name});
    if (!images.folder) return Error{"cannot read " + no_image(path)};
    spdlog::warn("left out: {}", no_image(path));
    left_out_.push_back(name);
  }
  if (left_out_.size() == images.paths.size())
    return Error{"none of the " + std::to_string(images.paths.size()) + " images in the folder '" +
                 name_ + "' can be read"};
  return std::optional<Picture>();
}

Result<std::optional<Picture>> MediaInput::next_of(Video& video) {
  cv::Mat image;
  if (video.capture.read(image) && !image.empty()) {
    ++video.given;
    return std::optional(Picture{image.clone(), ""});  // read() fills the same buffer again
  }
  if (video.given == 0) return Error{"there is no readable frame in '" + name_ + "'"};
  if (expected_ && video.given < *expected_)
    spdlog::warn("'{}' announces {} frames, {} could be read", name_, *expected_, video.given);
  return std::optional<Picture>();
}

Result<std::optional<Picture>> MediaInput::next_of(std::unique_ptr<LiveCapture>& live) {
  std::optional<cv::Mat> image = live->next();
  if (!image) return std::optional<Picture>();
  return std::optional(Picture{std::move(*image), ""});
}

bool MediaInput::ready() const {
  const auto* live = std::get_if<std::unique_ptr<LiveCapture>>(&source_);
  return live == nullptr || (*live)->ready();
}

uint64_t MediaInput::dropped() const {
  const auto* live = std::get_if<std::unique_ptr<LiveCapture>>(&source_);
  return live == nullptr ? 0 : (*live)->dropped();
}

}  // namespace shingle
