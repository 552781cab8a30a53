// A map read at places: shapes, what is needed, what is refused.
#include <doctest/doctest.h>

#include "partition/model/demand.hpp"
#include "partition/model/shape.hpp"

using namespace shingle;

namespace {

Model sample(Shape places, Shape map) {
  Model model;
  const TensorId at = add_input(model, "places", places), from = add_input(model, "map", map);
  add_output(model, "out", add_layer(model, "sample", GridSample{}, {at, from}));
  return model;
}

}  // namespace

TEST_CASE("a map read at places has a pixel for each place and its own channels") {
  const Model model = sample({3, 5, 2}, {7, 8, 6});
  CHECK(defects(model).empty());
  CHECK(model.at(model.layers[0].output).shape == Shape{3, 5, 6});
}

TEST_CASE("places that are not pairs are a defect") {
  CHECK(!defects(sample({3, 5, 3}, {7, 8, 6})).empty());
  CHECK(!defects(sample({3, 5, 1}, {7, 8, 2})).empty());
}

TEST_CASE("a part of the output needs its places and the whole map") {
  const Model model = sample({3, 5, 2}, {7, 8, 6});
  const Layer& layer = model.layers[0];
  const Region part{{1, 2}, {2, 4}, {3, 5}};
  CHECK(demand(model, layer, 0, part) == Region{{1, 2}, {2, 4}, {0, 2}});
  CHECK(demand(model, layer, 1, part) == Region{{0, 7}, {0, 8}, {3, 5}});
  CHECK(!is_spatially_local(model, layer));
  CHECK(goes_along_first_input(model, layer));
  const Model one = sample({3, 5, 2}, {1, 1, 6});
  CHECK(is_spatially_local(one, one.layers[0]));
}

TEST_CASE("how a map is read is part of the model's hash") {
  Model model = sample({3, 5, 2}, {7, 8, 6});
  auto& op = std::get<GridSample>(model.layers[0].op);
  const Hash linear = structural_hash(model);
  op.kind = GridSample::Kind::cubic;
  const Hash cubic = structural_hash(model);
  op.padding = GridSample::Padding::border;
  const Hash bordered = structural_hash(model);
  op.align_corners = true;
  CHECK(linear != cubic);
  CHECK(cubic != bordered);
  CHECK(bordered != structural_hash(model));
}
