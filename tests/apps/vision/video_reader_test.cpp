// Videos as cameras write them, and as they should not be; OpenCV's reader is the oracle.
#include <doctest/doctest.h>

#include <filesystem>
#include <opencv2/videoio.hpp>

#include "apps/vision/media/mp4_writer.hpp"
#include "apps/vision/media_in.hpp"
#include "apps/vision/video_writer.hpp"
#include "tests/apps/program.hpp"
#include "tests/clips/clips.hpp"
#include "tests/clips/coded_video.hpp"

using namespace shingle;

namespace {

std::string coded(const ScratchFolder& folder, const std::string& name,
                  const clips::CodedVideo& video) {
  const Status written = clips::write_coded(folder / name, video);
  REQUIRE_MESSAGE(written.ok(), written.error());
  return folder / name;
}

std::vector<Picture> pictures_in(const std::vector<std::string>& paths) {
  auto input = MediaInput::open(paths);
  REQUIRE_MESSAGE(input.ok(), input.error());
  std::vector<Picture> pictures;
  for (;;) {
    auto picture = input->next();
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    if (!*picture) return pictures;
    pictures.push_back(std::move(**picture));
  }
}

// What opening it, or reading all of it, says.
std::string error_of(const std::vector<std::string>& paths) {
  auto input = MediaInput::open(paths);
  if (!input) return input.error();
  for (;;) {
    const auto picture = input->next();
    if (!picture) return picture.error();
    if (!*picture) return "no error";
  }
}

void check_as_opencv_reads(const std::string& path) {
  const auto pictures = pictures_in({path});
  cv::VideoCapture oracle(path, cv::CAP_FFMPEG);
  cv::Mat image;
  for (const Picture& each : pictures) {
    REQUIRE(oracle.read(image));
    CHECK(cv::norm(each.image, image, cv::NORM_INF) == 0.0);
    const double seconds = oracle.get(cv::CAP_PROP_POS_MSEC) / 1000.0;
    if (seconds > 0.0) CHECK(std::abs(*each.seconds - seconds) < 1e-6);  // the last ones have none
  }
  CHECK_FALSE(oracle.read(image));
}

std::string joined(const ScratchFolder& folder, const std::string& name, const std::string& first,
                   const std::string& second) {
  return folder.with_text(name, contents(first) + contents(second));
}

// The matrix of the first track's head (ISO/IEC 14496-12, 8.3.2), 16.16 fixed point.
void set_matrix(const std::string& path, int a, int b, int c, int d) {
  std::string bytes = contents(path);
  const size_t at = bytes.find("tkhd") + 4 + 40;
  REQUIRE(at < bytes.size());
  const auto put = [&](size_t index, int value) {
    for (size_t i = 0; i < 4; ++i)
      bytes[at + 4 * index + i] = static_cast<char>(static_cast<unsigned>(value) >> (24 - 8 * i));
  };
  put(0, a), put(1, b), put(3, c), put(4, d);
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a video's pictures and times are those that OpenCV reads, byte by byte") {
  const ScratchFolder folder;
  for (const char* name : {"a.mp4", "a.avi", "a.mkv"}) {
    auto writer = VideoWriter::open(folder / name, 12.5, {150, 90});
    REQUIRE(writer.ok());
    for (int i = 0; i < 20; ++i) REQUIRE(writer->write(clips::picture(i, {150, 90})).ok());
    REQUIRE(writer->close().ok());
    check_as_opencv_reads(folder / name);
  }
  check_as_opencv_reads(coded(folder, "b.mkv", {.frames = 40, .reorders = true}));
  check_as_opencv_reads(coded(folder, "b.ts", {.frames = 40, .begin_seconds = 7.0}));
}

TEST_CASE("several files are one recording, whose time goes on") {
  const ScratchFolder folder;
  const std::string a = coded(folder, "a.mp4", {.frames = 10, .reorders = true}),
                    b = coded(folder, "b.ts", {.frames = 5, .begin_seconds = 90.0});
  const auto pictures = pictures_in({a, b, a});
  REQUIRE(pictures.size() == 25);
  for (size_t i = 0; i < pictures.size(); ++i)
    CHECK(std::abs(*pictures[i].seconds - static_cast<double>(i) / 25.0) < 1e-4);
  auto input = MediaInput::open(std::vector{a, a});
  CHECK(input->expected() == uint64_t{20});
  const std::string wide = coded(folder, "wide.mp4", {.size = {96, 48}});
  CHECK(error_of({a, b, wide}) == "'" + wide + "' has pictures of another size than '" + b +
                                      "'; parts of one recording have one size");
  CHECK(error_of({a, "rtsp://127.0.0.1/x"}) ==
        "'rtsp://127.0.0.1/x' is no video file; several inputs are parts of one recording");
  CHECK(error_of({a, folder / "none.mp4"}) == "there is no file '" + (folder / "none.mp4") + "'");
}

TEST_CASE("pictures with ten bits are read as those with eight") {
  const ScratchFolder folder;
  const auto eight = pictures_in({coded(folder, "eight.mp4", {})}),
             ten = pictures_in({coded(folder, "ten.mp4", {.has_ten_bits = true})});
  REQUIRE(eight.size() == 10);
  REQUIRE(ten.size() == 10);
  for (size_t i = 0; i < 10; ++i) {
    CHECK(cv::norm(eight[i].image, ten[i].image, cv::NORM_INF) <= 2.0);
    CHECK(std::abs(cv::mean(ten[i].image)[1] - (8.0 + 10.0 * static_cast<double>(i))) < 4.0);
  }
  const std::string hdr = coded(folder, "hdr.mp4", {.has_ten_bits = true, .is_hdr = true});
  CHECK(error_of({hdr}).starts_with("cannot read '" + hdr + "': its pictures are HDR (PQ or HLG)"));
}

TEST_CASE("a turned video is read upright; other angles than quarters are refused") {
  const ScratchFolder folder;
  const std::string path = folder / "turned.mp4";
  auto writer = Mp4Writer::open(path, {.size = {160, 120}});
  REQUIRE(writer.ok());
  REQUIRE(writer->write(clips::picture(3, {160, 120}), 0.0).ok());
  REQUIRE(writer->close().ok());
  const cv::Mat lying = pictures_in({path}).at(0).image;
  constexpr int one = 0x10000, diagonal = 46341;
  struct Turn {
    int a, b, c, d;
    cv::RotateFlags code;
  };
  for (const Turn& turn :
       {Turn{0, one, -one, 0, cv::ROTATE_90_CLOCKWISE}, Turn{-one, 0, 0, -one, cv::ROTATE_180},
        Turn{0, -one, one, 0, cv::ROTATE_90_COUNTERCLOCKWISE}}) {
    set_matrix(path, turn.a, turn.b, turn.c, turn.d);
    cv::Mat upright;
    cv::rotate(lying, upright, turn.code);
    const cv::Mat read = pictures_in({path}).at(0).image;
    REQUIRE(read.size() == upright.size());
    CHECK(cv::norm(read, upright, cv::NORM_INF) == 0.0);
  }
  set_matrix(path, diagonal, diagonal, -diagonal, diagonal);
  CHECK(error_of({path}).starts_with("cannot read '" + path +
                                     "': its pictures are turned by 45 degrees; only quarter"));
}

TEST_CASE("a video whose size changes, or whose times do not grow, is told with its frame") {
  const ScratchFolder folder;
  const std::string small = coded(folder, "s.h264", {.frames = 4}),
                    wide = coded(folder, "w.h264", {.size = {96, 48}, .frames = 4});
  const std::string changing = joined(folder, "changing.h264", small, wide);
  CHECK(error_of({changing}) == "cannot read '" + changing +
                                    "': its picture 5 is 96x48, those before are 64x48; cut the "
                                    "video there");
  const std::string part = coded(folder, "part.ts", {.frames = 20, .begin_seconds = 5.0});
  const std::string twice = joined(folder, "twice.ts", part, part);
  const std::string error = error_of({twice});
  CHECK_MESSAGE(error.starts_with("cannot read '" + twice + "': its frame "), error);
  CHECK_MESSAGE(
      error.find("not after the one before at 0.760 s; give it new times") != std::string::npos,
      error);
}

TEST_CASE("a file without pictures is no video, and one that breaks off is read to there") {
  const ScratchFolder folder;
  const std::string whole = coded(folder, "a.ts", {.frames = 50});
  std::filesystem::resize_file(whole, std::filesystem::file_size(whole) / 2);
  const size_t read = pictures_in({whole}).size();
  CHECK(read > 10);
  CHECK(read < 50);
  const std::string text = folder.with_text("text.mp4", std::string(5000, 'x'));
  CHECK(error_of({text}) == "cannot read '" + text + "' as an image or a video");
}
