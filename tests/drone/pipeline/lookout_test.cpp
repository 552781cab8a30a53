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

TEST_CASE("parts of vehicles that one layer alone has do not tell the scale") {
  Lookout lookout(sliced());
  const Picture taken = picture();
  const auto images = lookout.look_at({.frame = 0, .picture = taken}, 0.0, std::nullopt);
  std::vector<Box> cars, parts;  // in the picture: 76 pixels long, three parts in each
  for (int i = 0; i < 12; ++i) {
    const float x = 60.0F + 150.0F * static_cast<float>(i),
                y = 100.0F + 80.0F * static_cast<float>(i % 5);
    cars.push_back({x, y, 76.0F, 30.0F});
    for (int part = 0; part < 3; ++part)
      parts.push_back({x + 26.0F * static_cast<float>(part), y, 24.0F, 30.0F});
  }
  std::vector<Finding> findings;
  for (const double shrink : {3.0, 1.5, 0.75}) {
    const SliceGeometry geometry{1920, 1080, 640, 384, shrink};
    for (const PictureSlice& slice : full_cover(geometry)) {
      Detections found;
      const auto add = [&](const std::vector<Box>& boxes, float score) {
        for (const Box& box : boxes) {
          const auto x0 = static_cast<float>(slice.x), y0 = static_cast<float>(slice.y);
          if (box.x < x0 || box.y < y0 || box.x + box.w > x0 + static_cast<float>(slice.width) ||
              box.y + box.h > y0 + static_cast<float>(slice.height))
            continue;
          const auto s = static_cast<float>(shrink);
          found.push_back({0, score, {(box.x - x0) / s, (box.y - y0) / s, box.w / s, box.h / s}});
        }
      };
      add(cars, 0.7F);
      if (shrink < 1.0) add(parts, 0.9F);
      findings.push_back(std::move(found));
    }
  }
  REQUIRE(findings.size() == images.size());
  const auto found = std::get<Detections>(lookout.joined(0, std::move(findings)));
  std::vector<DetectedBox> vehicles;
  for (const auto& [class_id, score, box] : found)
    vehicles.push_back({{box.x, box.y, box.w, box.h}, score, class_id});
  const auto whole = whole_vehicles(vehicles, taken.image.size());
  lookout.followed(0, {.seconds = 0.0, .whole_vehicles = whole});
  const auto next = lookout.look_at({.frame = 1, .picture = taken}, 2.0, std::nullopt);
  CHECK(next.size() == full_cover({1920, 1080, 640, 384, 0.12 * 76.0 / 4.6}).size());
}

TEST_CASE("a box is too short where the ground scale is known and it shows less than a car") {
  Lookout lookout(sliced());
  const Picture taken = picture();
  const PixelBox car{400, 300, 40, 20}, part{400, 300, 24, 20}, cut_off{0, 300, 24, 20};
  SUBCASE("0.1 m in a pixel: 4 m and 2.4 m") {
    lookout.look_at({.frame = 0, .picture = taken}, 0.0, GroundScale{0.1, 0.1});
    CHECK_FALSE(lookout.is_too_short(0, car));
    CHECK(lookout.is_too_short(0, part));
    CHECK_FALSE(lookout.is_too_short(0, cut_off));  // more of it is outside of the picture
    CHECK_FALSE(lookout.is_too_short(1, part));     // a picture that nobody looked at
  }
  SUBCASE("0.5 m in a pixel, which slices cannot enlarge so far: 4.5 m and 2 m") {
    lookout.look_at({.frame = 0, .picture = taken}, 0.0, GroundScale{0.5, 0.5});
    CHECK_FALSE(lookout.is_too_short(0, {400, 300, 9, 4}));
    CHECK(lookout.is_too_short(0, {400, 300, 4, 4}));
  }
  SUBCASE("a slanting view shows vehicles shorter than they are") {
    lookout.look_at({.frame = 0, .picture = taken}, 0.0, GroundScale{0.1, 0.05});
    CHECK_FALSE(lookout.is_too_short(0, part));
  }
  SUBCASE("while the scale is not known nothing is too short") {
    lookout.look_at({.frame = 0, .picture = taken}, 0.0, std::nullopt);
    CHECK_FALSE(lookout.is_too_short(0, part));
  }
}

TEST_CASE("without a length that is wanted nothing is too short") {
  LookoutOptions options = sliced();
  options.min_length = 0.0;
  Lookout lookout(options);
  const Picture taken = picture();
  lookout.look_at({.frame = 0, .picture = taken}, 0.0, GroundScale{0.1, 0.1});
  CHECK_FALSE(lookout.is_too_short(0, {400, 300, 4, 4}));
}

TEST_CASE("findings without boxes stay what they are") {
  Lookout lookout(sliced());
  const Picture taken = picture();
  const auto images = lookout.look_at({.frame = 0, .picture = taken}, 0.0, GroundScale{0.06, 0.06});
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
    const auto images =
        lookout.look_at({.frame = frame, .picture = taken, .is_overtaken = frame % 3 != 0}, seconds,
                        GroundScale{0.06, 0.06});
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
