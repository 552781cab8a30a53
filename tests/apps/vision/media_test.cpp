#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "apps/system/write_file.hpp"
#include "apps/vision/media_in.hpp"
#include "apps/vision/media_out.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/scratch_folder.hpp"

using namespace shingle;

namespace {

cv::Mat grey_picture(int value, cv::Size size = {64, 48}) {
  return cv::Mat(size, CV_8UC3, cv::Scalar::all(value));
}

std::string clip_of(const ScratchFolder& folder, int frames, double rate) {
  const std::string path = folder / "clip.mp4";
  auto writer = VideoWriter::open(path, rate, {64, 48});
  REQUIRE(writer.ok());
  for (int i = 0; i < frames; ++i) REQUIRE(writer->write(grey_picture(10 * i)).ok());
  REQUIRE(writer->close().ok());
  return path;
}

uint64_t count_of(MediaInput& input) {
  uint64_t count = 0;
  for (;; ++count) {
    const auto picture = input.next();
    REQUIRE(picture.ok());
    if (!*picture) return count;
  }
}

}  // namespace

TEST_CASE("a written video has its frames and its rate when it is read again") {
  const ScratchFolder folder;
  auto input = MediaInput::open(clip_of(folder, 13, 12.5));
  REQUIRE(input.ok());
  CHECK(input->is_video());
  CHECK(input->expected() == uint64_t{13});
  CHECK(input->frames_per_second() == doctest::Approx(12.5));
  CHECK(count_of(*input) == 13);
}

TEST_CASE("a video's pictures have its own times from 0 on, images have none") {
  const ScratchFolder folder;
  auto video = MediaInput::open(clip_of(folder, 9, 12.5));
  REQUIRE(video.ok());
  for (int i = 0; i < 9; ++i) {
    const auto picture = video->next();
    REQUIRE(picture.ok());
    REQUIRE(picture->has_value());
    REQUIRE((*picture)->seconds);
    CHECK(*(*picture)->seconds == doctest::Approx(i / 12.5).epsilon(1e-6));
  }
  cv::imwrite(folder / "still.png", grey_picture(90));
  auto image = MediaInput::open(folder / "still.png");
  REQUIRE(image.ok());
  const auto picture = image->next();
  REQUIRE(picture.ok());
  REQUIRE(picture->has_value());
  CHECK_FALSE((*picture)->seconds);
}

TEST_CASE("a folder gives its images by name and nothing else") {
  const ScratchFolder folder;
  for (const char* name : {"b.png", "a.jpg", "c.bmp"})
    REQUIRE(cv::imwrite(folder / name, grey_picture(90)));
  folder.with_text("notes.txt", "no image");
  auto input = MediaInput::open(folder.path());
  REQUIRE(input.ok());
  CHECK_FALSE(input->is_video());
  CHECK(input->next().value()->name == "a.jpg");
  CHECK(input->next().value()->name == "b.png");
  CHECK(input->next().value()->name == "c.bmp");
  CHECK_FALSE(input->next().value().has_value());
}

TEST_CASE("bad inputs are told in one sentence that names them") {
  const ScratchFolder folder;
  const auto error_of = [](const std::string& input) {
    auto media = MediaInput::open(input);
    if (!media) return media.error();
    const auto picture = media->next();
    return picture ? std::string() : picture.error();
  };
  CHECK(error_of(folder / "none.mp4") ==
        "there is no file or folder '" + (folder / "none.mp4") + "'");
  CHECK(error_of(folder.path()) == "there is no image in the folder '" + folder.path() + "'");
  const std::string text = folder.with_text("text.mp4", "this is no video");
  CHECK(error_of(text) == "cannot read '" + text + "' as an image or a video");
  const std::string broken = folder.with_text("broken.png", "this is no image");
  CHECK(error_of(broken) == "cannot read '" + broken + "' as an image");
  CHECK(error_of("camera:x") == "'camera:x' is not a camera; write camera:0");
  CHECK(error_of("camera:77") == "cannot open 'camera:77'");
  CHECK(error_of("http://127.0.0.1:1/x") ==
        "cannot open 'http://127.0.0.1:1/x': Connection refused");
}

TEST_CASE("a video cut short cannot be read and says so") {
  const ScratchFolder folder;
  const std::string path = clip_of(folder, 30, 25.0);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto input = MediaInput::open(path);
  CHECK_FALSE(input.ok());
}

TEST_CASE("a live source gives recent pictures and counts what it dropped") {
  const ScratchFolder folder;
  auto input = MediaInput::open("file://" + clip_of(folder, 20, 25.0));
  REQUIRE(input.ok());
  const uint64_t given = count_of(*input);
  CHECK(given >= 1);
  CHECK(given + input->dropped() == 20);
}

TEST_CASE("images go to a folder under their own names") {
  const ScratchFolder source, target;
  REQUIRE(cv::imwrite(source / "one.png", grey_picture(1)));
  REQUIRE(cv::imwrite(source / "two.png", grey_picture(2)));
  auto input = MediaInput::open(source.path());
  auto output = MediaOutput::open(target / "deep/out", *input);
  REQUIRE(output.ok());
  REQUIRE(output->write({grey_picture(7), "one.png"}).ok());
  REQUIRE(output->write({grey_picture(8), ""}).ok());
  CHECK(cv::imread(target / "deep/out/one.png").at<cv::Vec3b>(0, 0)[0] == 7);
  CHECK(std::filesystem::exists(target / "deep/out/frame-000001.png"));
}

TEST_CASE("a full disk is told with the system's reason") {
  const Status written = write_file("/dev/full", std::vector<std::byte>(100));
  REQUIRE_FALSE(written.ok());
  CHECK(written.error() == "cannot write '/dev/full': No space left on device");
}

TEST_CASE("a video on a full device is told when it is closed") {
  const ScratchFolder folder;
  const std::string path = folder / "full.mp4";
  REQUIRE(::symlink("/dev/full", path.c_str()) == 0);
  auto writer = VideoWriter::open(path, 25.0, {64, 48});
  std::string error = writer ? "" : writer.error();
  if (writer) {
    for (int i = 0; i < 30 && error.empty(); ++i)
      if (const Status status = writer->write(grey_picture(i)); !status) error = status.error();
    if (const Status status = writer->close(); !status && error.empty()) error = status.error();
  }
  CHECK(error.find(path) != std::string::npos);
}

TEST_CASE("an output that would replace an input is refused, and the input stays") {
  const ScratchFolder folder, images;
  const std::string clip = clip_of(folder, 3, 12.5), before = contents(clip);
  const auto video = MediaInput::open(clip);
  REQUIRE(video.ok());
  std::filesystem::create_symlink(clip, folder / "other.mp4");
  for (const std::string& out : {clip, folder / "other.mp4"}) {
    const auto refused = MediaOutput::open(out, *video);
    REQUIRE(!refused.ok());
    CHECK(refused.error().find("would replace the input '" + clip + "'") != std::string::npos);
  }
  CHECK(MediaOutput::open(folder.path(), *video).ok());  // its pictures have names of their own
  CHECK(contents(clip) == before);
  REQUIRE(cv::imwrite(images / "one.png", grey_picture(1)));
  const auto folder_of_images = MediaInput::open(images.path());
  const auto image = MediaInput::open(images / "one.png");
  CHECK_FALSE(MediaOutput::open(images.path(), *folder_of_images).ok());
  CHECK_FALSE(MediaOutput::open(images / ".", *image).ok());
  CHECK_FALSE(MediaOutput::open(images / "one.png", *image).ok());
  CHECK(MediaOutput::open(images / "two.png", *image).ok());
}

TEST_CASE("endings of videos may be in capitals") {
  CHECK(is_video_name("A.MP4"));
  CHECK(is_video_name("a.Mov"));
  CHECK_FALSE(is_video_name("mp4"));
}

TEST_CASE("what cannot be written is refused before anything is computed") {
  const ScratchFolder folder;
  auto input = MediaInput::open(clip_of(folder, 3, 25.0));
  CHECK_FALSE(MediaOutput::open(folder / "one.png", *input).ok());
  CHECK_FALSE(MediaOutput::open("/proc/nowhere/out", *input).ok());
  auto video = VideoWriter::open(folder / "no/such/folder.mp4", 25.0, {64, 48});
  REQUIRE_FALSE(video.ok());
  CHECK(video.error().find("No such file or directory") != std::string::npos);
}
