// The plugin's parts that know nothing of GStreamer.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "apps/gstreamer/box_region.hpp"
#include "apps/gstreamer/found_masks.hpp"
#include "apps/gstreamer/infer_settings.hpp"
#include "apps/gstreamer/late_frames.hpp"
#include "apps/gstreamer/latency_meter.hpp"
#include "shingle/shingle.h"

using namespace shingle::gst;
using std::chrono::milliseconds;

namespace {

shingle_box box_at(float x0, float y0, float x1, float y1) {
  shingle_box box{};
  box.x0 = x0;
  box.y0 = y0;
  box.x1 = x1;
  box.y1 = y1;
  return box;
}

}  // namespace

TEST_CASE("a region is the whole pixels that a box covers, and its edges are shares of the sides") {
  CHECK(region_of(box_at(10.5F, 20, 30.25F, 40), {100, 50}) == BoxRegion{.x = 10,
                                                                         .y = 20,
                                                                         .width = 21,
                                                                         .height = 20,
                                                                         .x_min = 0.105,
                                                                         .x_max = 0.3025,
                                                                         .y_min = 0.4,
                                                                         .y_max = 0.8});
}

TEST_CASE("a region stays in the picture, has a pixel at least, and numbers that are none are 0") {
  CHECK(region_of(box_at(-5, -5, 500, 500), {100, 50}) == BoxRegion{.x = 0,
                                                                    .y = 0,
                                                                    .width = 100,
                                                                    .height = 50,
                                                                    .x_min = 0,
                                                                    .x_max = 1,
                                                                    .y_min = 0,
                                                                    .y_max = 1});
  const float huge = std::numeric_limits<float>::infinity();
  for (const shingle_box& box :
       {box_at(200, 80, 300, 90), box_at(NAN, NAN, NAN, NAN), box_at(7, 7, 7, 7),
        box_at(9, 9, 3, 3), box_at(-huge, 0, huge, 0)}) {
    const BoxRegion region = region_of(box, {100, 50});
    CHECK(region.width >= 1);
    CHECK(region.height >= 1);
    CHECK(region.x + region.width <= 100);
    CHECK(region.y + region.height <= 50);
    CHECK(0.0 <= region.x_min);
    CHECK(region.x_min <= region.x_max);
    CHECK(region.x_max <= 1.0);
  }
}

TEST_CASE("runs become pixels: of boxes inside and outside, of maps classes") {
  const auto masks = masks_of(R"({"mask":{"w":3,"h":2,"runs":[4,2,0,3,9,1]},"boxes":[{"x":1},)"
                              R"({"mask":{"x":5,"y":6,"w":2,"h":2,"runs":[1,2,1]}}]})");
  REQUIRE(masks.size() == 2);
  CHECK(masks[0].box == whole_picture);
  CHECK(masks[0].pixels == std::vector<uint8_t>{4, 4, 0, 0, 0, 9});
  CHECK(masks[1].box == 1);
  CHECK(masks[1].x == 5);
  CHECK(masks[1].y == 6);
  CHECK(masks[1].width == 2);
  CHECK(masks[1].pixels == std::vector<uint8_t>{0, 1, 1, 0});
}

TEST_CASE("masks whose runs do not fill their sides are left out") {
  for (const char* mask :
       {R"({"w":2,"h":2,"runs":[1,2]})", R"({"w":2,"h":2,"runs":[1,2,2]})",
        R"({"w":2,"h":2,"runs":[1,-1,4]})", R"({"w":0,"h":2,"runs":[]})",
        R"({"w":70000,"h":1,"runs":[70000]})", R"({"w":2,"h":2,"runs":"4"})",
        R"({"w":2,"h":2,"runs":[1.5,2.5]})", R"({"w":2,"h":2})", R"({"w":"2","h":2,"runs":[4]})"})
    CHECK_MESSAGE(masks_of(std::string(R"({"boxes":[{"mask":)") + mask + "}]}").empty(), mask);
  CHECK(masks_of(R"({"mask":{"w":2,"h":1,"runs":[256,2]}})").empty());
  CHECK(masks_of(R"({"mask":{"w":2,"h":1,"runs":[1,2,3]}})").empty());
  CHECK(masks_of("no JSON with \"mask\"").empty());
  CHECK(masks_of("{}").empty());
}

TEST_CASE("frames up to twice the last lateness are late, and none after a frame in time") {
  LateFrames late;
  CHECK_FALSE(late.is_late(milliseconds(0)));
  late.hear(milliseconds(1000), milliseconds(200), milliseconds(100));
  CHECK(late.is_late(milliseconds(1500)));
  CHECK(late.behind(milliseconds(1400)) == milliseconds(100));
  CHECK_FALSE(late.is_late(milliseconds(1501)));
  late.hear(milliseconds(2000), milliseconds(-50), milliseconds(100));
  CHECK_FALSE(late.is_late(milliseconds(2000)));
  CHECK(late.is_late(milliseconds(1950)));
  late.forget();
  CHECK_FALSE(late.is_late(milliseconds(0)));
}

TEST_CASE("the latency that is told rises with what is measured, but not for one slow frame") {
  LatencyMeter meter;
  CHECK(meter.add(milliseconds(100)));
  CHECK(meter.told() == milliseconds(110));
  for (int i = 0; i < 40; ++i) CHECK_FALSE(meter.add(milliseconds(i == 7 ? 5000 : 105)));
  CHECK_FALSE(meter.add(milliseconds(200)));
  CHECK(meter.add(milliseconds(300)));
  CHECK(meter.told() == milliseconds(220));
  for (int i = 0; i < 40; ++i) CHECK_FALSE(meter.add(milliseconds(10)));
  CHECK(meter.told() == milliseconds(220));
}

TEST_CASE("a list of options is split where a name follows a comma") {
  const OptionTexts parsed = parse_option_list("mean=1,2,3, goal = latency ,audit=2%");
  CHECK(parsed.error.empty());
  CHECK(parsed.texts ==
        std::vector<OptionText>{{"mean", "1,2,3"}, {"goal", "latency"}, {"audit", "2%"}});
  CHECK(parse_option_list("").texts.empty());
  for (const char* wrong : {"goal", "=5", ",goal=latency", " =x"})
    CHECK_MESSAGE(parse_option_list(wrong).error.find("write \"name=value") != std::string::npos,
                  wrong);
}

TEST_CASE("settings become options, and what is a property is refused in the list") {
  InferSettings settings{.model = "m.onnx", .options = "goal=latency"};
  settings.score = 0.25;
  CHECK(options_of(settings).texts == std::vector<OptionText>{{"model", "m.onnx"},
                                                              {"pictures", "yes"},
                                                              {"open", "4"},
                                                              {"workers", "4"},
                                                              {"threads", "1"},
                                                              {"score", "0.25"},
                                                              {"goal", "latency"}});
  settings.options = "open=2";
  CHECK(options_of(settings).error.find("'open', which is a property") != std::string::npos);
  settings.options = "pictures=no";
  CHECK(options_of(settings).error.find("always takes pictures") != std::string::npos);
  CHECK(options_of({}).error.find("set the property 'model'") != std::string::npos);
}
