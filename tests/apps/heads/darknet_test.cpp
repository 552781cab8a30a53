// Darknet networks computed: against OpenCV's importer, and in tiles. The large ones:
// bench/darknet.
#include <doctest/doctest.h>

#include "apps/run/choose_plan.hpp"
#include "tests/apps/heads/darknet_oracle.hpp"
#include "tests/apps/tiled.hpp"

using namespace shingle;
using networks::DarknetFiles;
using networks::DarknetWriter;

namespace {

constexpr double allowed = 1e-4;  // of a map's largest magnitude

void mask_of_one(DarknetWriter& writer) {
  writer.convolutional({.filters = 7, .size = 1, .normalise = false, .activation = "linear"});
  writer.section("yolo", "mask=0\nclasses=2\nnum=1\nanchors=8,9");
}

// What the named networks do not have: odd sizes, groups, other activations and pools.
DarknetFiles odds_and_ends() {
  DarknetWriter writer({37, 45, 3}, 12);
  writer.convolutional({.filters = 12, .activation = "mish"});
  writer.maxpool(3, 2);
  writer.convolutional({.filters = 24, .groups = 3, .activation = "relu"});
  writer.convolutional({.filters = 24, .groups = 24, .activation = "swish"});
  writer.shortcut(-2);
  writer.maxpool(5, 1);
  writer.route({-2});
  writer.maxpool(9, 1);
  writer.route({-1, -3, -4});
  writer.convolutional({.filters = 16, .size = 5, .activation = "logistic"});
  writer.maxpool(2, 2);
  writer.convolutional({.filters = 16, .size = 1, .activation = "tanh"});
  writer.maxpool(2, 1);
  writer.route({-1}, 4, 3);
  writer.convolutional({.filters = 8, .stride = 2, .normalise = false, .activation = "leaky"});
  writer.upsample(2);
  mask_of_one(writer);
  return std::move(writer).finish();
}

Plan planned(const Model& model, uint32_t nodes) {
  return make_plan(model, equal_nodes(nodes)).value();
}

// Blocks of a few layers in an uneven grid, whatever pays.
Plan gridded(const Model& model, uint32_t nodes) {
  PlanOptions options{.cut_after = {}, .grid = {3, 2}};
  for (uint32_t layer = 5; layer + 1 < model.layers.size(); layer += 6)
    options.cut_after.push_back({layer});
  return grid_plan(model, equal_nodes(nodes), options);
}

}  // namespace

TEST_CASE("the tiny YOLO networks agree with OpenCV's Darknet importer") {
  for (const char* name : {"yolov2_tiny", "yolov3_tiny", "yolov4_tiny"}) {
    CAPTURE(name);
    CHECK(darknet_error(networks::make_darknet(name, 416).value(), 5) <= allowed);
  }
}

TEST_CASE("groups, pools of every stride and other activations agree with OpenCV") {
  CHECK(darknet_error(odds_and_ends(), 7) <= allowed);
}

TEST_CASE("a classifier with a connected layer agrees with OpenCV") {
  DarknetWriter writer({24, 24, 3}, 14);
  writer.convolutional({.filters = 16, .stride = 2});
  writer.convolutional({.filters = 20});
  writer.connected(30, "leaky");
  writer.connected(10, "linear");
  writer.section("softmax", "groups=1");
  const DarknetFiles files = std::move(writer).finish();
  const DarknetModel darknet = must_read(files);
  const std::vector<float> input = networks::random_input({24, 24, 3}, 15);
  const ChannelPlanes ours = our_maps(darknet.model, input)[0];
  cv::dnn::Net net = opencv_net(files, darknet.model, input);
  const cv::Mat theirs = net.forward();
  CHECK(relative_error(ours, {theirs.ptr<float>(), theirs.ptr<float>() + theirs.total()}) <=
        allowed);
}

TEST_CASE("the error that is measured sees a single element that is out of order") {
  const DarknetFiles files = networks::make_darknet("yolov3_tiny", 64).value();
  const DarknetModel darknet = must_read(files);
  const std::vector<float> input = networks::random_input({64, 64, 3}, 8);
  std::vector<ChannelPlanes> ours = our_maps(darknet.model, input);
  const std::vector<ChannelPlanes> theirs = opencv_maps(files, darknet.model, input);
  CHECK(relative_error(ours[1], theirs[1]) <= allowed);
  std::swap(ours[1][100], ours[1][101]);
  CHECK(relative_error(ours[1], theirs[1]) > allowed);
}

TEST_CASE("tiles of Darknet networks have the whole maps' bits" * doctest::test_suite("long")) {
  for (const char* name : {"yolov2_tiny", "yolov3_tiny", "yolov4_tiny"}) {
    CAPTURE(name);
    const DarknetFiles files = networks::make_darknet(name, 160).value();
    const DarknetModel darknet = must_read(files);
    CHECK(tiled_differing_bytes(darknet.model, planned(darknet.model, 4), 4) == 0);
    CHECK(tiled_differing_bytes(darknet.model, gridded(darknet.model, 3), 3) == 0);
  }
  const DarknetFiles odds = odds_and_ends();
  const DarknetModel darknet = must_read(odds);
  CHECK(tiled_differing_bytes(darknet.model, gridded(darknet.model, 3), 3) == 0);
}

TEST_CASE("tiles around a reorg have the whole maps' bits") {
  DarknetWriter writer({52, 52, 3}, 13);
  writer.convolutional({.filters = 16});
  writer.maxpool(2, 2);
  writer.convolutional({.filters = 32});
  writer.reorg(2);
  writer.convolutional({.filters = 16});
  mask_of_one(writer);
  const DarknetFiles files = std::move(writer).finish();
  const DarknetModel darknet = must_read(files);
  CHECK(darknet_error(files, 9) <= allowed);
  CHECK(tiled_differing_bytes(darknet.model, gridded(darknet.model, 3), 3) == 0);
}
