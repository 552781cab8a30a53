// The cost of computing: kinds of layers, granules, calls.
#include "partition/cluster/node_profile.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

Model one_convolution(Window window, int32_t channels) {
  Model model;
  const TensorId frame = add_input(model, "frame", {10, 10, 2});
  add_output(model, "out", add_conv(model, frame, channels, window));
  return model;
}

TileProgram program_of(const Model& model, Region region) {
  return tile_program(model, whole_block(model), {{model.outputs[0].tensor, region}});
}

}  // namespace

TEST_CASE("a convolution of one tap is pointwise, one of several is not") {
  const Model wide = one_convolution(same3, 4), narrow = one_convolution(Window{}, 4);
  CHECK(work_kind(wide, wide.layers[0], Algorithm::direct) == WorkKind::convolution);
  CHECK(work_kind(narrow, narrow.layers[0], Algorithm::direct) == WorkKind::pointwise);
}

TEST_CASE("costs include what rounding to the granule adds") {
  const Model model = one_convolution(same3, 6);
  NodeProfile profile;
  profile.costs[size_t(WorkKind::convolution)] = {
      .ns_per_mac = 2.0, .ns_per_element = 0.5, .ns_per_call = 100.0, .granule = {4, 4, 4}};
  // rows 3..5 lie in granules 0..8, columns 0..10 in 0..12, channels 0..6 in 0..8
  const Work work = work_of(profile, model, program_of(model, {{3, 5}, {0, 10}, {0, 6}}));
  const double elements = 8 * 12 * 8;
  CHECK(double(work.macs) == elements * 2 * 9);
  const double read_and_written = elements * (2.0 / 6.0 + 1.0);
  CHECK(work.compute_ns ==
        doctest::Approx(100.0 + elements * 2 * 9 * 2.0 + read_and_written / 2.0 * 0.5));
}

TEST_CASE("a convolution handles half of what it reads and half of what it writes") {
  const auto elements = [](int32_t groups, int32_t stride) {
    Model model;
    const TensorId in = add_input(model, "in", {8, 8, 6});
    const Window window{.kernel = 1, .stride = stride};
    const Convolution op{
        .y = window,
        .x = window,
        .groups = groups,
        .weights = add_constant(model, std::vector<float>(static_cast<size_t>(72 / groups))),
        .bias = {}};
    add_output(model, "out", add_layer(model, "conv", op, {in}));
    NodeProfile profile;
    for (WorkCost& cost : profile.costs) cost.ns_per_element = 1.0;
    const int32_t size = 8 / stride;
    return work_of(profile, model, program_of(model, whole(Shape{size, size, 12}))).compute_ns;
  };
  CHECK(elements(1, 1) == doctest::Approx((64 * 6 + 64 * 12) / 2));
  CHECK(elements(1, 2) == doctest::Approx((64 * 6 + 16 * 12) / 2));
  CHECK(elements(2, 1) == doctest::Approx((64 * 6 + 64 * 12) / 2));
}

TEST_CASE("a tile of some channels reads the input channels of their groups") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 6});
  const Convolution op{.y = Window{},
                       .x = Window{},
                       .groups = 2,
                       .weights = add_constant(model, std::vector<float>(36)),
                       .bias = {}};
  add_output(model, "out", add_layer(model, "conv", op, {in}));
  NodeProfile profile;
  for (WorkCost& cost : profile.costs) cost.ns_per_element = 1.0;
  const auto elements = [&](Span channels) {
    return work_of(profile, model, program_of(model, {{0, 8}, {0, 8}, channels})).compute_ns;
  };
  CHECK(elements({0, 6}) == doctest::Approx(64 * (3 + 6) / 2));
  CHECK(elements({4, 8}) == doctest::Approx(64 * (6 + 4) / 2));
}

TEST_CASE("a reduction handles what it reads") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 3});
  add_output(model, "out", add_layer(model, "mean", Reduction{.y = true, .x = true}, {in}));
  NodeProfile profile;
  profile.costs[size_t(WorkKind::pooling)].ns_per_element = 1.0;
  CHECK(work_of(profile, model, program_of(model, whole(Shape{1, 1, 3}))).compute_ns ==
        doctest::Approx(8 * 8 * 3));
}

TEST_CASE("a pool handles its taps") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 3});
  const Window window{.kernel = 2, .stride = 2};
  add_output(model, "out",
             add_layer(model, "pool", Pooling{.kind = Pooling::Kind::max, .y = window, .x = window},
                       {in}));
  NodeProfile profile;
  profile.costs[size_t(WorkKind::pooling)].ns_per_element = 1.0;
  CHECK(work_of(profile, model, program_of(model, whole(Shape{4, 4, 3}))).compute_ns ==
        doctest::Approx(8 * 8 * 3));
}

TEST_CASE("a machine of which only the speed is known takes two operations for a MAC") {
  const Model model = one_convolution(same3, 4);
  const Work work = work_of(profile_of(2.0), model, program_of(model, {{0, 10}, {0, 10}, {0, 4}}));
  CHECK(work.macs == 10 * 10 * 4 * 2 * 9);
  CHECK(work.compute_ns == doctest::Approx(double(work.macs) + 20'000.0));
}

TEST_CASE("Winograd computes whole groups of four by four, at its own speed") {
  const Model model = one_convolution(same3, 4);
  const FusedBlock block = whole_block(model, WinogradUse::wherever_it_fits);
  const TileProgram part =
      tile_program(model, block, {{model.outputs[0].tensor, {{3, 5}, {0, 10}, {0, 4}}}});
  const NodeProfile typical = profile_of(2.0), paced = paced_profile(2.0);
  const double macs = 8 * 10 * 4 * 2 * 9;
  CHECK(double(work_of(typical, model, part).macs) == macs);
  CHECK(work_of(typical, model, part).compute_ns < work_of(paced, model, part).compute_ns);
  CHECK(work_of(paced, model, part).compute_ns == doctest::Approx(macs + 20'000.0));
  CHECK(gains_by_winograd(typical));
  CHECK_FALSE(gains_by_winograd(paced));
}

TEST_CASE("a pass reads the weights of the channels that it computes") {
  const Model model = one_convolution(same3, 6);
  NodeProfile profile;
  profile.costs[size_t(WorkKind::convolution)] = {.ns_per_mac = 1.0, .ns_per_weight = 10.0};
  const auto nanoseconds = [&](Region region) {
    return work_of(profile, model, program_of(model, region)).compute_ns;
  };
  const double filter = 2 * 9;
  CHECK(nanoseconds({{0, 1}, {0, 1}, {0, 6}}) == doctest::Approx(6 * 2 * 9 + 6 * filter * 10.0));
  CHECK(nanoseconds({{0, 2}, {0, 1}, {0, 6}}) == doctest::Approx(12 * 2 * 9 + 6 * filter * 10.0));
  CHECK(nanoseconds({{0, 1}, {0, 1}, {0, 3}}) == doctest::Approx(3 * 2 * 9 + 3 * filter * 10.0));
}

TEST_CASE("an exponential behind a convolution costs what an elementwise layer does") {
  const auto nanoseconds = [](Activation activation) {
    Model model;
    const TensorId frame = add_input(model, "frame", {10, 10, 2});
    add_output(model, "out", add_conv(model, frame, 4, same3));
    model.layers.front().activation = activation;
    NodeProfile profile;
    profile.costs[size_t(WorkKind::convolution)] = {.ns_per_mac = 1.0};
    profile.costs[size_t(WorkKind::elementwise)] = {.ns_per_element = 3.0, .ns_per_call = 70.0};
    return work_of(profile, model, program_of(model, whole(Shape{10, 10, 4}))).compute_ns;
  };
  const double plain = nanoseconds({.kind = Activation::Kind::relu});
  CHECK(nanoseconds({.kind = Activation::Kind::silu}) == doctest::Approx(plain + 400 * 3.0));
  CHECK(nanoseconds({.kind = Activation::Kind::hard_swish}) == doctest::Approx(plain));
}

TEST_CASE("a sort costs what it reads and compares") {
  Model model;
  const TensorId in = add_input(model, "in", {10, 100, 2});
  const TensorId order = add_layer(model, "order", Order{.axis = Axis::x, .count = 7}, {in});
  add_output(model, "out", order);
  NodeProfile profile;
  profile.costs[size_t(WorkKind::elementwise)] = {
      .ns_per_mac = 0.0, .ns_per_element = 0.5, .ns_per_call = 100.0, .granule = {}};
  const double lines = 3 * 2;
  const Work part = work_of(profile, model, program_of(model, {{0, 3}, {0, 7}, {0, 2}}));
  CHECK(part.compute_ns == doctest::Approx(100.0 + lines * (100 + 7 * 3) * 0.5));
}

TEST_CASE("an invalid speed still gives a finite cost") {
  const Model model = one_convolution(same3, 4);
  for (double gflops : {0.0, -3.0, std::nan("")}) {
    CHECK(std::isfinite(work_of(profile_of(gflops), model, whole_program(model)).compute_ns));
  }
}
