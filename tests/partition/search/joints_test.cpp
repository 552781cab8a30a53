// The joints of flattened maps; a planner that cuts at them moves nothing there.
#include "partition/search/joints.hpp"

#include <doctest/doctest.h>

#include "partition/search/layer_order.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

TensorId flat(Model& model, TensorId map) {
  const Shape shape = model.at(map).shape;
  return add_layer(model, "flat",
                   Rearrange{.factors = {shape.h, shape.w, shape.c},
                             .input_axes = {{{0}, {1}, {2}}},
                             .output_axes = {{{}, {0, 1}, {2}}}},
                   {map});
}

}  // namespace

TEST_CASE("two concatenated heads have a joint where the first ends, and so have later layers") {
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 2});
  const TensorId first = flat(model, add_conv(model, frame, 2, same3));
  const TensorId second = flat(model, add_conv(model, frame, 2, half3));
  const TensorId joined = add_layer(model, "join", Concat{Axis::x}, {first, second});
  const TensorId after = add_layer(model, "after", Elementwise{}, {joined});
  add_output(model, "out", add_layer(model, "softmax", Softmax{.axis = Axis::x}, {after}));
  const Joints joints = joints_of(model);
  CHECK(joints[first.value].empty());
  CHECK(joints[joined.value] == std::vector<int32_t>{64});
  CHECK(joints[after.value] == std::vector<int32_t>{64});
  // every part of a softmax over the whole map needs the whole map
  CHECK(joints[model.outputs[0].tensor.value].empty());
}

TEST_CASE("concatenated channels have no joint") {
  Model model;
  const TensorId frame = add_input(model, "frame", {1, 64, 2});
  const TensorId both = add_layer(model, "both", Concat{Axis::c}, {frame, frame});
  add_output(model, "out", both);
  CHECK(joints_of(model)[both.value].empty());
}

TEST_CASE("rows, columns and thin maps have a long axis, others none") {
  CHECK(long_axis({1, 40, 3}) == Axis::x);
  CHECK(long_axis({40, 1, 3}) == Axis::y);
  CHECK(long_axis({4, 64, 3}) == Axis::x);
  CHECK(long_axis({5, 64, 3}) == std::nullopt);
  CHECK(long_axis({1, 1, 3}) == std::nullopt);
}

TEST_CASE("the three heads of YOLOv8 are joined at the ends of the larger two") {
  const Result<Model> model = networks::make("yolov8n", 128);
  REQUIRE(model.ok());
  const std::vector<int32_t> expected{16 * 16, 16 * 16 + 8 * 8};
  CHECK(joints_of(*model)[model->outputs[0].tensor.value] == expected);
}
