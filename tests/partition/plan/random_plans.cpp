#include "tests/partition/plan/random_plans.hpp"

namespace shingle {

Cluster equal_nodes(uint32_t count) {
  Cluster cluster;
  for (uint32_t id = 1; id <= count; ++id) cluster.nodes.push_back({.id = {id}});
  return cluster;
}

Plan random_plan(networks::Random& random, const Model& model) {
  PlanOptions options;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) {
    if (random.chance(0.3)) options.cut_after.push_back({layer});
  }
  options.grid = {random.between(1, 6), random.between(1, 6)};
  if (random.chance(0.3)) options.granule = {random.between(1, 4), random.between(1, 4), 1};
  const WinogradUse uses[] = {WinogradUse::never, WinogradUse::where_faster,
                              WinogradUse::wherever_it_fits};
  options.winograd = uses[random.between(0, 2)];
  return grid_plan(model, equal_nodes(static_cast<uint32_t>(random.between(1, 8))), options);
}

TensorId add_conv(Model& model, TensorId input, int32_t channels, Window window) {
  const int32_t in = model.at(input).shape.c;
  const auto count = static_cast<size_t>(int64_t{channels} * in * window.kernel * window.kernel);
  const ConstantId weights = add_constant(model, std::vector<float>(count, 0.5F));
  return add_layer(model, "conv" + std::to_string(model.layers.size()),
                   Convolution{.y = window, .x = window, .weights = weights, .bias = {}}, {input});
}

Model chain(int32_t size, Window middle) {
  Model model;
  TensorId map = add_input(model, "frame", {size, size, 3});
  map = add_conv(model, map, 4, same3);
  map = add_conv(model, map, 4, middle);
  map = add_conv(model, map, 4, same3);
  add_output(model, "out", map);
  return model;
}

}  // namespace shingle
