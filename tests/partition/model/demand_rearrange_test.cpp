// Which layers read near what they write, and what rearranged spans read.
#include <doctest/doctest.h>

#include "partition/model/demand.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

TEST_CASE("layers that need the whole map are not spatially local") {
  const auto local = [](Operator op, Shape shape) {
    Model model;
    const TensorId in = add_input(model, "in", shape);
    add_layer(model, "layer", std::move(op), {in});
    return is_spatially_local(model, model.layers[0]);
  };
  const Shape map{8, 6, 12};
  CHECK(local(Elementwise{}, map));
  CHECK(local(Reduction{Reduction::Kind::mean, false, false, true}, map));
  CHECK(!local(Reduction{Reduction::Kind::mean, true, true, false}, map));
  CHECK(local(Reduction{Reduction::Kind::mean, true, true, false}, {1, 1, 12}));
  CHECK(local(Softmax{Axis::c, false}, map));
  CHECK(!local(Softmax{Axis::y, false}, map));
  CHECK(!local(Gather{Axis::x, {5, 0, 5, 0, 5, 0}}, map));
  CHECK(!local(Gather{Axis::x, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}}, map));  // a tile of the map
  CHECK(local(Gather{Axis::x, {2, 1, 0, 1, 2, 3, 4, 5, 4, 3}}, map));         // a mirrored border
  CHECK(local(Gather{Axis::c, {5, 0}}, map));

  const Rearrange depth_to_space{{8, 6, 2, 2, 3}, {{{0}, {1}, {2, 3, 4}}}, {{{0, 2}, {1, 3}, {4}}}};
  CHECK(local(depth_to_space, map));
  const Rearrange space_to_depth{
      {4, 2, 3, 2, 12}, {{{0, 1}, {2, 3}, {4}}}, {{{0}, {2}, {1, 3, 4}}}};
  CHECK(local(space_to_depth, map));
  const Rearrange channel_shuffle{{8, 6, 3, 4}, {{{0}, {1}, {2, 3}}}, {{{0}, {1}, {3, 2}}}};
  CHECK(local(channel_shuffle, map));
  const Rearrange flatten{{8, 6, 12}, {{{0}, {1}, {2}}}, {{{}, {}, {0, 1, 2}}}};
  CHECK(!local(flatten, map));
  const Rearrange rows_of_pixels{{8, 6, 12}, {{{0}, {1}, {2}}}, {{{0, 1}, {}, {2}}}};
  CHECK(!local(rows_of_pixels, map));
}

TEST_CASE("a span within one upper digit reads only its lower digits' range") {
  // Depth to space by 2: output rows 4 and 5 are the two halves of input row 2.
  Model model;
  const TensorId in = add_input(model, "in", {8, 6, 12});
  add_layer(model, "shuffle",
            Rearrange{{8, 6, 2, 2, 3}, {{{0}, {1}, {2, 3, 4}}}, {{{0, 2}, {1, 3}, {4}}}}, {in});
  const Layer& layer = model.layers[0];
  REQUIRE(model.at(layer.output).shape == Shape{16, 12, 3});
  CHECK(demand(model, layer, 0, {{4, 6}, {2, 3}, {0, 3}}) == Region{{2, 3}, {1, 2}, {0, 9}});
  CHECK(demand(model, layer, 0, {{5, 6}, {3, 4}, {1, 2}}) == Region{{2, 3}, {1, 2}, {10, 11}});
}

TEST_CASE("a rearrangement of many small factors takes no time") {
  // Bit reversal of 2^24 elements: both ends of a range could split at every digit.
  Rearrange op;
  for (int32_t factor = 0; factor < 24; ++factor) {
    op.factors.push_back(2);
    op.input_axes[0].push_back(factor);
    op.output_axes[0].insert(op.output_axes[0].begin(), factor);
  }
  Model model;
  const TensorId in = add_input(model, "in", {1 << 24, 1, 1});
  add_layer(model, "reversal", op, {in});
  const Region inner{{1, (1 << 24) - 1}, {0, 1}, {0, 1}};
  CHECK(demand(model, model.layers[0], 0, inner) == inner);  // index 0 and the last one do not move
}
