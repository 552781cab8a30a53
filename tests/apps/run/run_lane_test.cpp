// One model's part in a run, over a real session on loopback.
#include "apps/run/run_lane.hpp"

#include <doctest/doctest.h>

#include "apps/pictures/image_bytes.hpp"
#include "apps/vision/mat_view.hpp"
#include "tests/apps/small_cluster.hpp"
#include "tests/apps/verbs.hpp"

namespace shingle {
namespace {

// A lane whose stream takes four inputs at once.
struct OneLane {
  OneLane() {
    RunOptions options;
    options.model.path = model_in(folder);
    models = std::move(open_run_models(options).value());
    cluster.model = models.front().model();
    cluster.start_worker(0);
    FrameStreamOptions wanted = cluster.stream_options(1);
    wanted.stream.open_frames = 4;
    stream = std::move(FrameStream::open(std::move(wanted)).value());
    alone.emplace(testing::bare_machine(*cluster.model));
    lane.emplace(LaneParts{
        .model = models.front(), .thresholds = {}, .stream = *stream, .verifier = &*alone});
  }

  cv::Mat drawn(int seed) const {
    cv::Mat image(48, 64, CV_8UC3);
    cv::RNG dice(static_cast<uint64_t>(seed) + 1);
    dice.fill(image, cv::RNG::UNIFORM, 0, 256);
    return image;
  }
  std::vector<std::vector<std::byte>> expected(const cv::Mat& image) {
    const Model& model = *cluster.model;
    const auto bytes = image_bytes(view_of(image), models.front().reading.preparation,
                                   model.at(model.inputs.front()).shape);
    return alone->compute(bytes).value();
  }

  ScratchFolder folder;
  std::vector<RunModel> models;
  testing::SmallCluster cluster{1};
  std::unique_ptr<FrameStream> stream;
  std::optional<BareMachine> alone;
  std::optional<RunLane> lane;
};

TEST_CASE(
    "a picture of more inputs than may be under way comes whole, its outputs in their order") {
  OneLane one;
  std::vector<cv::Mat> images;
  for (int i = 0; i < 6; ++i) images.push_back(one.drawn(i));
  REQUIRE(one.lane->submit(7, {.image = one.drawn(99), .name = "street.png"}, images).ok());
  CHECK(one.lane->pending() == 6);
  CHECK_FALSE(one.lane->has_room());  // two inputs wait until the stream has room
  auto result = one.lane->next();
  REQUIRE_MESSAGE(result.ok(), result.error());
  CHECK(result->frame.frame == 7);
  CHECK(result->frame.name == "street.png");
  CHECK(result->picture.image.empty());  // nobody wanted it kept
  CHECK(result->findings.size() == 6);
  REQUIRE(result->computed.size() == 6);
  for (size_t i = 0; i < 6; ++i) CHECK(result->computed[i].bytes == one.expected(images[i]));
  CHECK(result->computed[0].bytes != result->computed[1].bytes);
  CHECK(one.lane->pending() == 0);
  CHECK(one.lane->has_room());
}

TEST_CASE("pictures of several inputs and of one keep their order, and count once each") {
  OneLane one;
  REQUIRE(
      one.lane->submit(0, {.image = one.drawn(0), .name = {}}, {one.drawn(1), one.drawn(2)}).ok());
  REQUIRE(one.lane->submit(1, {.image = one.drawn(3), .name = {}}, {one.drawn(3)}).ok());
  for (const uint64_t frame : {0U, 1U}) {
    std::optional<LaneResult> result;
    REQUIRE(becomes_true([&] {
      auto polled = one.lane->poll(Duration::zero());
      REQUIRE_MESSAGE(polled.ok(), polled.error());
      result = std::move(*polled);
      return result.has_value();
    }));
    CHECK(result->frame.frame == frame);
    CHECK(result->computed.size() == (frame == 0 ? 2 : 1));
    one.lane->reported(std::move(*result));
  }
  REQUIRE(one.lane->verify().ok());
  CHECK(one.lane->counts().frames == 2);
  CHECK(one.lane->counts().compared == 2);
  CHECK(one.lane->counts().identical == 2);
}

}  // namespace
}  // namespace shingle
