#include "apps/vision/media_in.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cassert>
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

std::optional<int> camera_number(const std::string& input) {
  if (!input.starts_with(camera_prefix)) return std::nullopt;
  int number = -1;
  const char* end = input.data() + input.size();
  const auto [stop, error] = std::from_chars(input.data() + camera_prefix.size(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
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

Result<std::optional<Picture>> picture_of(Result<std::optional<TimedPicture>> taken) {
  if (!taken) return taken.failure();
  if (!*taken) return std::optional<Picture>();
  return std::optional(
      Picture{.image = std::move((*taken)->image), .name = "", .seconds = (*taken)->seconds});
}

}  // namespace

std::string lower_ending(const std::string& path) {
  std::string ending = files::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending;
}

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

Result<MediaInput> MediaInput::open(const std::vector<std::string>& inputs,
                                    const ReconnectOptions& options) {
  assert(!inputs.empty());
  if (inputs.size() == 1) return open(inputs.front(), options);
  quiet_media_libraries();
  std::error_code ignored;
  for (const std::string& each : inputs) {
    if (each.starts_with(camera_prefix) || each.find("://") != std::string::npos ||
        files::is_directory(each, ignored) || is_image_name(each))
      return Error{"'" + each + "' is no video file; several inputs are parts of one recording"};
    if (!files::exists(each, ignored)) return Error{"there is no file '" + each + "'"};
  }
  return open_recording(inputs);
}

Result<MediaInput> MediaInput::open(const std::string& input, const ReconnectOptions& options) {
  quiet_media_libraries();
  if (input.starts_with(camera_prefix)) return open_camera(input);
  if (input.find("://") != std::string::npos) return open_stream(input, options);
  std::error_code ignored;
  if (files::is_directory(input, ignored)) return open_images(input, {images_in(input), true});
  if (!files::exists(input, ignored)) return Error{"there is no file or folder '" + input + "'"};
  if (is_image_name(input)) return open_images(input, {{input}});
  return open_recording({input});
}

Result<MediaInput> MediaInput::open_images(const std::string& input, Images images) {
  if (images.paths.empty()) return Error{"there is no image in the folder '" + input + "'"};
  // Before anything else begins; and codecs, which take 10 MB, are there from now on.
  if (!cv::haveImageReader(images.paths.front()) && !images.folder)
    return Error{"cannot read " + no_image(images.paths.front())};
  const uint64_t count = images.paths.size();
  std::vector<std::string> paths = images.paths;
  MediaInput media(input, std::move(images));
  media.files_ = std::move(paths);
  media.expected_ = count;
  return media;
}

Result<MediaInput> MediaInput::open_recording(const std::vector<std::string>& parts) {
  auto recording = Recording::open(parts);
  if (!recording) return recording.failure();
  const double rate = recording->frames_per_second();
  const auto count = recording->frame_count();
  MediaInput media(parts.front(), std::move(*recording));
  media.files_ = parts;
  media.frames_per_second_ = rate;
  media.expected_ = count;
  return media;
}

Result<MediaInput> MediaInput::open_camera(const std::string& input) {
  const std::optional<int> number = camera_number(input);
  if (!number) return Error{"'" + input + "' is not a camera; write camera:0"};
  cv::VideoCapture capture(*number, cv::CAP_V4L2);
  if (!capture.isOpened()) return Error{"cannot open '" + input + "'"};
  const double rate = capture.get(cv::CAP_PROP_FPS);
  return live(input, LocalCamera{.capture = std::move(capture)}, rate);
}

Result<MediaInput> MediaInput::open_stream(const std::string& url,
                                           const ReconnectOptions& options) {
  auto stream = NetworkStream::open(url, options);
  if (!stream) return stream.failure();
  const double rate = stream->frames_per_second();
  return live(url, std::move(*stream), rate);
}

MediaInput MediaInput::live(const std::string& input, LiveSource source, double rate) {
  MediaInput media(input, std::make_unique<LiveCapture>(std::move(source)));
  media.frames_per_second_ = rate > 0.0 && rate < 1000.0 ? rate : usual_frames_per_second;
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
    if (!image.empty())
      return std::optional(Picture{.image = std::move(image), .name = name, .seconds = {}});
    if (!images.folder) return Error{"cannot read " + no_image(path)};
    spdlog::warn("left out: {}", no_image(path));
    left_out_.push_back(name);
  }
  if (left_out_.size() == images.paths.size())
    return Error{"none of the " + std::to_string(images.paths.size()) + " images in the folder '" +
                 name_ + "' can be read"};
  return std::optional<Picture>();
}

Result<std::optional<Picture>> MediaInput::next_of(Recording& recording) {
  return picture_of(recording.next());
}

Result<std::optional<Picture>> MediaInput::next_of(std::unique_ptr<LiveCapture>& live) {
  return picture_of(live->next());
}

bool MediaInput::ready(std::chrono::milliseconds longest) const {
  const auto* live = std::get_if<std::unique_ptr<LiveCapture>>(&source_);
  return live == nullptr || (*live)->ready(longest);
}

uint64_t MediaInput::dropped() const {
  const auto* live = std::get_if<std::unique_ptr<LiveCapture>>(&source_);
  return live == nullptr ? 0 : (*live)->dropped();
}

}  // namespace shingle
