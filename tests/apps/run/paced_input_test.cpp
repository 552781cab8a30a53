// Files that come as a camera would give them.
#include "apps/run/paced_input.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <thread>

#include "tests/apps/verbs.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

// A folder with the same picture several times.
std::string pictures_in(const ScratchFolder& folder, int count) {
  const std::string first = image_in(folder);
  const std::string pictures = folder / "pictures";
  std::filesystem::create_directories(pictures);
  for (int i = 0; i < count; ++i)
    std::filesystem::copy_file(first, pictures + "/" + std::to_string(i) + ".png");
  return pictures;
}

PacedInput::Came next_of(PacedInput& paced) {
  auto came = paced.next();
  REQUIRE_MESSAGE(came.ok(), came.error());
  REQUIRE(came->has_value());
  return std::move(**came);
}

TEST_CASE("pictures of a folder come at their rate, counted from the first one") {
  const ScratchFolder folder;
  auto input = MediaInput::open(pictures_in(folder, 4));
  REQUIRE_MESSAGE(input.ok(), input.error());
  PacedInput paced(*input, {.as_live = true, .images_per_second = 20.0});
  CHECK(paced.is_live());
  const PacedInput::Came first = next_of(paced);
  for (int i = 1; i < 4; ++i) {
    const PacedInput::Came came = next_of(paced);
    CHECK(came.since - first.since == i * milliseconds(50));  // also when it was asked for late
    CHECK(PacedInput::Clock::now() >= came.since);
    if (i == 1) std::this_thread::sleep_for(milliseconds(80));
  }
  const auto end = paced.next();
  REQUIRE(end.ok());
  CHECK_FALSE(end->has_value());
}

TEST_CASE("a video's pictures come at their own times") {
  const ScratchFolder folder;
  const std::string clip = clip_in(folder, 3);
  auto times = MediaInput::open(clip), input = MediaInput::open(clip);
  REQUIRE(times.ok());
  REQUIRE(input.ok());
  PacedInput paced(*input, {.as_live = true});
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) seconds.push_back(times->next().value()->seconds.value());
  const PacedInput::Came first = next_of(paced);
  for (size_t i = 1; i < 3; ++i) {
    const std::chrono::duration<double> passed = next_of(paced).since - first.since;
    CHECK(passed.count() == doctest::Approx(seconds[i] - seconds[0]).epsilon(1e-6));
  }
}

TEST_CASE("a picture is ready once its time has come, and then the one before is overtaken") {
  const ScratchFolder folder;
  auto input = MediaInput::open(pictures_in(folder, 2));
  REQUIRE(input.ok());
  // So slow that the second one is not due while this test runs, however busy the machine is.
  PacedInput paced(*input, {.as_live = true, .images_per_second = 1e-4});
  CHECK(paced.ready());
  next_of(paced);
  CHECK_FALSE(paced.ready());
  CHECK_FALSE(paced.ready(milliseconds(20)));
  CHECK_FALSE(paced.is_overtaken());
}

TEST_CASE("the end of a paced file is ready at once and overtakes nothing") {
  const ScratchFolder folder;
  auto input = MediaInput::open(pictures_in(folder, 2));
  REQUIRE(input.ok());
  PacedInput paced(*input, {.as_live = true, .images_per_second = 1000.0});
  next_of(paced);
  CHECK(becomes_true([&] { return paced.is_overtaken(); }));
  next_of(paced);
  CHECK(paced.ready());
  CHECK_FALSE(paced.is_overtaken());
  CHECK_FALSE(paced.next().value().has_value());
}

TEST_CASE("files that are not paced wait for nobody") {
  const ScratchFolder folder;
  auto input = MediaInput::open(pictures_in(folder, 2));
  REQUIRE(input.ok());
  PacedInput paced(*input, {.as_live = false, .images_per_second = 1e-4});
  CHECK_FALSE(paced.is_live());
  next_of(paced);
  CHECK(paced.ready());
  CHECK_FALSE(paced.is_overtaken());
  next_of(paced);  // at once, not in three hours
  CHECK_FALSE(paced.next().value().has_value());
}

}  // namespace
}  // namespace shingle
