// Annotated MP4 files, read back by OpenCV's reader.
#include "apps/vision/media/mp4_writer.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include "apps/vision/media_in.hpp"
#include "apps/vision/media_out.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/clips/clips.hpp"

using namespace shingle;

namespace {

constexpr double tick = 1.0 / 60000.0;

cv::Mat grey_picture(int value, cv::Size size = {64, 48}) {
  return cv::Mat(size, CV_8UC3, cv::Scalar::all(value));
}

struct Shown {
  double seconds = 0.0;  // since the first one
  cv::Mat image{};
};

std::vector<Shown> shown_in(const std::string& path) {
  quiet_media_libraries();
  cv::VideoCapture capture(path, cv::CAP_FFMPEG);
  REQUIRE_MESSAGE(capture.isOpened(), "the video cannot be played");
  std::vector<Shown> all;
  for (cv::Mat image; capture.read(image);)
    all.push_back({capture.get(cv::CAP_PROP_POS_MSEC) / 1000.0, image.clone()});
  return all;
}

Mp4Writer writer_to(const std::string& path, Mp4Options options) {
  auto writer = Mp4Writer::open(path, options);
  REQUIRE_MESSAGE(writer.ok(), writer.error());
  return std::move(*writer);
}

// The system lets no file of this process grow beyond so many bytes, as a disk that is full.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    before_signal_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_signal_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*before_signal_)(int) = nullptr;
};

}  // namespace

TEST_CASE("pictures of an MP4 file are shown at their own times, whichever encoder wrote them") {
  const ScratchFolder folder;
  // 29.97 a second, a pause, a burst, a second's gap.
  const std::vector<double> times{0.0, 1001.0 / 30000.0, 2002.0 / 30000.0, 0.9, 0.91, 0.9123, 2.5};
  for (const char* encoder : {"libx264", "mpeg4"}) {
    const std::string path = folder / (std::string(encoder) + ".mp4");
    auto writer = writer_to(path, {.size = {64, 48}, .encoders = {encoder}});
    for (size_t i = 0; i < times.size(); ++i)
      REQUIRE(writer.write(grey_picture(30 * static_cast<int>(i)), times[i]).ok());
    REQUIRE(writer.close().ok());
    CHECK(writer.close().ok());
    const auto shown = shown_in(path);
    REQUIRE(shown.size() == times.size());
    for (size_t i = 0; i < times.size(); ++i) {
      CHECK(std::abs(shown[i].seconds - times[i]) <= 0.51 * tick);
      CHECK(std::abs(cv::mean(shown[i].image)[0] - 30.0 * static_cast<double>(i)) < 4.0);
    }
  }
}

TEST_CASE("an MP4 file that nobody closed plays to its last half second") {
  const ScratchFolder folder;
  const std::string path = folder / "open.mp4";
  auto writer = writer_to(path, {.size = {320, 180}});
  for (int i = 0; i < 100; ++i) REQUIRE(writer.write(clips::picture(i, {320, 180}), i / 25.0).ok());
  const auto shown = shown_in(path);
  CHECK(shown.size() >= 100 - 14);  // half a second and the picture that opened the next one
  for (size_t i = 0; i < shown.size(); ++i) {
    CHECK(std::abs(shown[i].seconds - static_cast<double>(i) / 25.0) < tick);
    CHECK(cv::norm(shown[i].image, clips::picture(static_cast<int>(i), {320, 180}), cv::NORM_L1) <
          12.0 * 3 * 320 * 180);
  }
}

TEST_CASE("odd sizes gain a row and a column") {
  const ScratchFolder folder;
  auto writer = writer_to(folder / "odd.mp4", {.size = {63, 47}});
  REQUIRE(writer.write(grey_picture(90, {63, 47}), 0.0).ok());
  REQUIRE(writer.close().ok());
  CHECK(shown_in(folder / "odd.mp4").at(0).image.size() == cv::Size(64, 48));
}

TEST_CASE("what an MP4 file cannot take is told, and what it has stays") {
  const ScratchFolder folder;
  const std::string path = folder / "a.mp4";
  auto writer = writer_to(path, {.size = {64, 48}});
  REQUIRE(writer.write(grey_picture(1), 0.0).ok());
  REQUIRE(writer.write(grey_picture(2), 0.04).ok());
  CHECK(writer.write(grey_picture(3, {32, 48}), 0.08).error() ==
        "all frames of the video '" + path + "' must have one size; write to a folder");
  CHECK(writer.write(grey_picture(3), 0.04).error() ==
        "the video '" + path +
            "' cannot take a frame at 0.040 s after the one at 0.040 s; times must grow");
  REQUIRE(writer.close().ok());
  CHECK(shown_in(path).size() == 2);
}

TEST_CASE("an MP4 file that cannot be made is refused with the reason") {
  const ScratchFolder folder;
  const auto error_of = [](const std::string& path, Mp4Options options) {
    const auto writer = Mp4Writer::open(path, options);
    return writer ? std::string() : writer.error();
  };
  const std::string nowhere = folder / "no/such/folder.mp4";
  CHECK(error_of(nowhere, {.size = {64, 48}}) ==
        "cannot write '" + nowhere + "': No such file or directory");
  CHECK(error_of(folder / "a.mp4", {.size = {64, 48}, .encoders = {"none", "neither"}}) ==
        "cannot write '" + (folder / "a.mp4") +
            "': libavcodec has no encoder for H.264 or MPEG-4; name a folder or a .avi file");
}

TEST_CASE("a disk that becomes full keeps whole fragments, and the reason is told once and again") {
  const ScratchFolder folder;
  const std::string path = folder / "full.mp4";
  std::string error;
  {
    const FileLimit limit(200000);
    auto writer = writer_to(path, {.size = {320, 180}});
    for (int i = 0; i < 1000 && error.empty(); ++i)
      if (const Status status = writer.write(clips::picture(i, {320, 180}), i / 25.0); !status)
        error = status.error();
    CHECK(writer.close().error() == error);
  }
  const auto kept = shown_in(path).size();
  CHECK(kept > 10);
  CHECK(error == "cannot write '" + path + "': File too large; its first " + std::to_string(kept) +
                     " frames are kept");
}

TEST_CASE("an MP4 file on a full device is told") {
  const ScratchFolder folder;
  const std::string path = folder / "full.mp4";
  REQUIRE(::symlink("/dev/full", path.c_str()) == 0);
  const auto writer = Mp4Writer::open(path, {.size = {64, 48}});
  REQUIRE_FALSE(writer.ok());
  CHECK(writer.error() == "cannot write '" + path + "': No space left on device");
}

TEST_CASE("annotated pictures of a video keep its times, those of a folder come twice a second") {
  const ScratchFolder folder;
  REQUIRE(cv::imwrite(folder / "still.png", grey_picture(9)));
  auto input = MediaInput::open(folder / "still.png");
  REQUIRE(input.ok());
  auto output = MediaOutput::open(folder / "a.mp4", *input);
  REQUIRE(output.ok());
  for (const double seconds : {0.0, 0.3, 0.4})
    REQUIRE(output->write({.image = grey_picture(9), .name = "", .seconds = seconds}).ok());
  REQUIRE(output->close().ok());
  CHECK(shown_in(folder / "a.mp4").at(1).seconds == doctest::Approx(0.3));
  auto slides = MediaOutput::open(folder / "b.mp4", *input);
  for (const char* name : {"a.png", "b.png"})
    REQUIRE(slides->write({.image = grey_picture(9), .name = name, .seconds = {}}).ok());
  REQUIRE(slides->close().ok());
  CHECK(shown_in(folder / "b.mp4").at(1).seconds == doctest::Approx(0.5));
}
