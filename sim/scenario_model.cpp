#include <cstdio>

#include "sim/scenario_script.hpp"

namespace shingle::sim {

namespace {

constexpr int largest_side = 1024;

// A run with content ids does not use the values of weights, so all are 1.
ConstantId ones(Model& model, int64_t count) {
  return add_constant(model, std::vector<float>(static_cast<size_t>(count), 1.0F));
}

Window window(int32_t kernel, int32_t stride) {
  const int32_t pad = kernel / 2;
  return {.kernel = kernel, .stride = stride, .dilation = 1, .pad_begin = pad, .pad_end = pad};
}

bool add_described_layer(Model& model, TensorId& last, const std::string& text) {
  int kernel = 0, channels = 0, stride = 1, used = 0;
  const Shape shape = model.at(last).shape;
  const std::string name = "layer" + std::to_string(model.layers.size());
  const auto whole_text = [&] { return used == static_cast<int>(text.size()); };
  const auto sane = [](int value) { return value >= 1 && value <= 64; };
  constexpr int most_channels = 4096;
  if (std::sscanf(text.c_str(), "pool%d%n", &kernel, &used) == 1 && whole_text() && sane(kernel)) {
    const Window halving{
        .kernel = kernel, .stride = kernel, .dilation = 1, .pad_begin = 0, .pad_end = 0};
    if (shape.h < kernel || shape.w < kernel) return false;
    last = add_layer(model, name, Pooling{.kind = Pooling::Kind::max, .y = halving, .x = halving},
                     {last});
    return true;
  }
  used = 0;
  std::sscanf(text.c_str(), "conv%d:%d%n", &kernel, &channels, &used);
  if (!whole_text())
    std::sscanf(text.c_str(), "conv%d:%ds%d%n", &kernel, &channels, &stride, &used);
  if (!whole_text() || !sane(kernel) || channels < 1 || channels > most_channels || !sane(stride))
    return false;
  const ConstantId weights = ones(model, int64_t{kernel} * kernel * shape.c * channels);
  last = add_layer(model, name,
                   Convolution{.y = window(kernel, stride),
                               .x = window(kernel, stride),
                               .groups = 1,
                               .weights = weights,
                               .bias = {}},
                   {last});
  return true;
}

}  // namespace

std::optional<Model> described_model(const std::string& shape,
                                     const std::vector<std::string>& layers) {
  int h = 0, w = 0, c = 0;
  if (std::sscanf(shape.c_str(), "%dx%dx%d", &h, &w, &c) != 3) return {};
  for (const int side : {h, w, c})
    if (side < 1 || side > largest_side) return {};
  Model model;
  TensorId last = add_input(model, "image", {h, w, c});
  for (const std::string& layer : layers)
    if (!add_described_layer(model, last, layer)) return {};
  if (layers.empty()) return {};
  add_output(model, "output", last);
  model.hash = structural_hash(model);
  return model;
}

}  // namespace shingle::sim
