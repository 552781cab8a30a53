// What the models compute of each picture, and what findings in slices say of it.
#include "apps/drone/pipeline/lookout.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

LookoutOptions sliced() {
  return {
      .slices =
          SlicePlannerOptions{.metres_per_pixel = 0.12, .input_width = 640, .input_height = 384},
      .input = {.h = 384, .w = 640, .c = 3},
      .preparation = {.fit = Fit::letterbox}};
}

Picture picture() {
  return {.image = cv::Mat(1080, 1920, CV_8UC3, cv::Scalar::all(90)), .name = {}};
}

// Cars of that length in each image.
std::vector<Finding> cars_in(size_t images, float length) {
  std::vector<Finding> all;
  for (size_t i = 0; i < images; ++i) {
    Detections found;
    for (int car = 0; car < 3; ++car)
      found.push_back(
          {0, 0.9F, {100.0F + 100.0F * static_cast<float>(car), 150.0F, length, 16.0F}});
    all.push_back(found);
  }
  return all;
}

}  // namespace

TEST_CASE("a whole picture is one image, shrunk, and boxes are brought back to the picture") {
  LookoutOptions options = sliced();
  options.slices.reset();
  Lookout lookout(options);
  const Picture taken = picture();
  const auto images = lookout.look_at({.frame = 0, .picture = taken}, 0.0, std::nullopt);
  REQUIRE(images.size() == 1);
  CHECK(images.front().size() == cv::Size(640, 360));
  const Finding found = lookout.joined(0, {Detections{{0, 0.9F, {10, 20, 30, 40}}}});
  CHECK(std::get<Detections>(found).front().box == Box{30, 60, 90, 120});
  Summary summary;
  lookout.add_to(summary);
  CHECK_FALSE(summary.slices);
}

TEST_CASE("of several scales the one at which most is found says what is in the picture") {
  Lookout lookout(sliced());
  const Picture taken = picture();
  const auto images = lookout.look_at({.frame = 0, .picture = taken}, 0.0, std::nullopt);
  REQUIRE(images.size() > 5);
  for (const cv::Mat& image : images) CHECK(image.size() == cv::Size(640, 384));
  // One image is the whole picture: something weak is found in it. In the others there are cars.
  auto findings = cars_in(images.size(), 38.0F);
  findings.front() = Detections{{0, 0.4F, {10, 10, 30, 15}}};
  const auto found = std::get<Detections>(lookout.joined(0, std::move(findings)));
  CHECK(found.size() > 3);
  const float length = found.front().box.w;
  for (const Detection& each : found) CHECK(each.box.w == doctest::Approx(length).epsilon(0.02));
  Summary summary;
  lookout.add_to(summary);
  REQUIRE(summary.slices);
  CHECK(summary.slices->computed == images.size());
  CHECK(summary.slices->share() == 1.0);
}

TEST_CASE("findings without boxes stay what they are") {
  Lookout lookout(sliced());
  const Picture taken = picture();
  const auto images = lookout.look_at({.frame = 0, .picture = taken}, 0.0, 0.06);
  std::vector<Finding> findings(images.size(), ClassMap{.width = 1, .height = 1, .classes = {0}});
  CHECK(std::holds_alternative<ClassMap>(lookout.joined(0, std::move(findings))));
}

TEST_CASE("under load slices become fewer, masks rarer, and overtaken pictures are left out") {
  LookoutOptions options = sliced();
  options.mask_every = 2;
  options.sheds = true;
  Lookout lookout(options);
  const Picture taken = picture();
  size_t left_out = 0, masks = 0;
  for (uint64_t frame = 0; frame < 200; ++frame) {
    const double seconds = static_cast<double>(frame) * 0.04;
    const bool wants_mask = lookout.wants_mask(frame);
    masks += wants_mask ? 1 : 0;
    const auto images = lookout.look_at(
        {.frame = frame, .picture = taken, .is_overtaken = frame % 3 != 0}, seconds, 0.06);
    if (images.empty()) {
      ++left_out;
      continue;
    }
    CHECK(lookout.left_out_mask(frame) == (frame % 2 == 0 && !wants_mask));
    lookout.joined(frame, cars_in(images.size(), 38.0F));
    lookout.followed(frame, {.seconds = seconds});
  }
  Summary summary;
  lookout.add_to(summary);
  REQUIRE(summary.shed);
  CHECK(summary.shed->highest_level == 6);
  CHECK(summary.shed->pictures == left_out);
  CHECK(left_out > 50);
  CHECK(masks < 80);
  CHECK(summary.slices->computed < summary.slices->of_full_cover);
}
