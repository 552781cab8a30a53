#include "devices/native/self_test.hpp"

#include <cmath>
#include <utility>

#include "devices/executor/view.hpp"
#include "partition/model/shape.hpp"

namespace shingle {

namespace {

// Enough of a generator for weights and inputs: splitmix64, whose bits are the same everywhere.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  float next() {  // in [-1, 1)
    uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<float>(z >> 40) / 8388608.0F - 1.0F;
  }
  std::vector<float> take(int64_t count, float scale = 1.0F) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = next() * scale;
    return values;
  }

 private:
  uint64_t state_;
};

struct ConvolutionSpec {
  const char* name;
  int32_t kernel, stride, groups, inputs, outputs;
  Activation activation;
};

// The kinds of layer whose kernels libraries choose between.
constexpr ConvolutionSpec convolutions[] = {
    {"dense 3x3", 3, 1, 1, 5, 40, {.kind = Activation::Kind::leaky_relu, .alpha = 0.1F}},
    {"dense 1x1", 1, 1, 1, 40, 24, {.kind = Activation::Kind::silu}},
    {"depthwise 3x3", 3, 1, 24, 24, 24, {.kind = Activation::Kind::clip, .beta = 6.0F}},
    {"Winograd 3x3", 3, 1, 1, 24, 24, {.kind = Activation::Kind::leaky_relu, .alpha = 0.1F}},
    {"grouped 3x3 by 2", 3, 2, 2, 24, 36, {.kind = Activation::Kind::tanh}},
    {"narrow 5x5", 5, 1, 1, 36, 7, {}},
};

TensorId add_convolution(Model& model, Numbers& numbers, const ConvolutionSpec& spec, TensorId in) {
  const int64_t fan_in = int64_t{spec.inputs / spec.groups} * spec.kernel * spec.kernel;
  const Window window{.kernel = spec.kernel,
                      .stride = spec.stride,
                      .dilation = 1,
                      .pad_begin = spec.kernel / 2,
                      .pad_end = spec.kernel / 2};
  const float scale = std::sqrt(3.0F / static_cast<float>(fan_in));
  const Convolution op{.y = window,
                       .x = window,
                       .groups = spec.groups,
                       .weights = add_constant(model, numbers.take(fan_in * spec.outputs, scale)),
                       .bias = add_constant(model, numbers.take(spec.outputs, 0.1F))};
  return add_layer(model, spec.name, op, {in}, spec.activation);
}

// The same gates for 18 units of an LSTM and 24 of a GRU.
void add_recurrences(Model& model, Numbers& numbers, TensorId in) {
  const int32_t inputs = model.at(in).shape.c, all = 72;
  const TensorId gates = add_convolution(model, numbers, {"gates", 1, 1, 1, inputs, all, {}}, in);
  const Activation sigmoid{.kind = Activation::Kind::sigmoid}, tanh{.kind = Activation::Kind::tanh};
  Recurrence op;
  op.activations = {sigmoid, tanh, tanh};
  for (const auto& [name, kind] :
       {std::pair{"lstm", Recurrence::Kind::lstm}, std::pair{"gru", Recurrence::Kind::gru}}) {
    op.kind = kind;
    op.hidden = all / gates_of(kind);
    op.backward = kind == Recurrence::Kind::gru;
    op.weights = add_constant(model, numbers.take(int64_t{all} * op.hidden, 0.25F));
    add_output(model, name, add_layer(model, name, op, {gates}));
  }
}

// A dense and a depthwise one: their phases have different numbers of taps.
TensorId add_transposed(Model& model, Numbers& numbers, TensorId in) {
  constexpr int32_t outputs = 20;
  const auto grown = [&](Shape shape) { return Shape{2 * shape.h, 2 * shape.w, outputs}; };
  const Shape first = grown(model.at(in).shape), second = grown(first);
  const Window four{.kernel = 4, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const Window three{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const TransposedConvolution dense{
      .y = four,
      .x = three,
      .groups = 1,
      .weights = add_constant(model, numbers.take(int64_t{model.at(in).shape.c} * outputs * 12)),
      .bias = add_constant(model, numbers.take(outputs, 0.1F))};
  const TensorId up =
      add_layer(model, "transposed 4x3 by 2", dense, {in}, {.kind = Activation::Kind::relu}, first);
  add_output(model, "transposed", up);
  const TransposedConvolution depthwise{.y = three,
                                        .x = four,
                                        .groups = outputs,
                                        .weights = add_constant(model, numbers.take(outputs * 12)),
                                        .bias = std::nullopt};
  return add_layer(model, "transposed depthwise 3x4 by 2", depthwise, {up}, {}, second);
}

Model test_model() {
  Numbers numbers(2022);
  Model model;
  TensorId tensor = add_input(model, "input", {21, 19, 5});
  for (const ConvolutionSpec& spec : convolutions) {
    tensor = add_convolution(model, numbers, spec, tensor);
    add_output(model, spec.name, tensor);
  }
  const Window pool{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const Window average{.kernel = 2, .stride = 1};
  tensor = add_layer(model, "max-pool", Pooling{.kind = Pooling::Kind::max, .y = pool, .x = pool},
                     {tensor});
  add_output(model, "max-pool", tensor);
  tensor = add_layer(model, "average-pool",
                     Pooling{.kind = Pooling::Kind::average, .y = average, .x = average}, {tensor});
  add_output(model, "average-pool", tensor);
  add_output(model, "transposed depthwise", add_transposed(model, numbers, tensor));
  add_output(model, "softmax", add_layer(model, "softmax", Softmax{}, {tensor}));
  add_output(model, "mean", add_layer(model, "mean", Reduction{.c = true}, {tensor}));
  const TensorId scores =
      add_layer(model, "scores", MatrixProduct{.turned = true}, {tensor, tensor});
  add_output(model, "scores", scores);
  add_output(model, "product", add_layer(model, "product", MatrixProduct{}, {scores, tensor}));
  add_recurrences(model, numbers, tensor);
  return model;
}

struct Map {
  Region region;
  std::vector<float> values;
};

ConstTensorView view_of(const Map& map) {
  return {reinterpret_cast<const std::byte*>(map.values.data()), map.region, ElementType::f32};
}

// Runs a program whose one input window is cut from `input`.
Result<std::vector<Map>> run(Executor& executor, const TileProgram& program, const Map& input) {
  Map window{program.inputs[0].region, {}};
  window.values.resize(static_cast<size_t>(window.region.elements()));
  copy(view_of(input),
       {reinterpret_cast<std::byte*>(window.values.data()), window.region, ElementType::f32},
       window.region);
  std::vector<Map> outputs;
  std::vector<TensorView> views;
  for (const Slice& slice : program.outputs) {
    outputs.push_back(
        {slice.region, std::vector<float>(static_cast<size_t>(slice.region.elements()))});
    views.push_back({reinterpret_cast<std::byte*>(outputs.back().values.data()), slice.region,
                     ElementType::f32});
  }
  const ConstTensorView in = view_of(window);
  const Status done = executor.compute(program, std::span(&in, 1), views);
  if (!done) return done.failure();
  return outputs;
}

bool same_bits(const Map& tile, const Map& whole_map) {
  Map cut{tile.region, std::vector<float>(tile.values.size())};
  copy(view_of(whole_map),
       {reinterpret_cast<std::byte*>(cut.values.data()), cut.region, ElementType::f32}, cut.region);
  return std::memcmp(cut.values.data(), tile.values.data(), bytes_of_floats(cut.values.size())) ==
         0;
}

// Tiles of one output each: uneven cuts in y and x, halves in c, single rows and single pixels.
std::vector<TileProgram> tiles_of(const Model& model, const FusedBlock& block) {
  std::vector<TileProgram> tiles;
  for (const ModelOutput& output : model.outputs) {
    const Shape shape = model.at(output.tensor).shape;
    const int32_t y = shape.h / 3, x = shape.w / 2, c = shape.c / 2;
    const Region regions[] = {{{0, y}, {0, x}, {0, shape.c}},
                              {{y, shape.h}, {x, shape.w}, {0, shape.c}},
                              {{y, y + 1}, {0, shape.w}, {c, shape.c}},
                              {{0, shape.h}, {x, x + 1}, {0, c}},
                              {{shape.h - 1, shape.h}, {shape.w - 1, shape.w}, {0, shape.c}}};
    for (const Region& region : regions) {
      if (!region.empty()) tiles.push_back(tile_program(model, block, {{output.tensor, region}}));
    }
  }
  return tiles;
}

Status tiles_agree(Executor& executor, const Model& model, const std::vector<TileProgram>& tiles,
                   const TileProgram& whole_map, const Map& input,
                   const std::vector<Map>& expected) {
  for (const TileProgram& tile : tiles) {
    const Result<std::vector<Map>> computed = run(executor, tile, input);
    if (!computed) return computed.failure();
    for (size_t i = 0; i < expected.size(); ++i) {
      const TensorId tensor = whole_map.outputs[i].tensor;
      if (tensor != tile.outputs[0].tensor || same_bits(computed->front(), expected[i])) continue;
      return Error{"executor '" + executor.name() + "': a tile of layer '" + model.at(tensor).name +
                   "' differs from the whole map (" + to_string(tile.outputs[0].region) + ")"};
    }
  }
  return success();
}

}  // namespace

Result<Hash> self_test(Executor& executor) {
  const Model model = test_model();
  const TileProgram whole_map = whole_program(model);
  std::vector<TileProgram> programs = tiles_of(model, whole_block(model));
  programs.push_back(whole_map);
  const Status prepared = executor.prepare(model, programs);
  if (!prepared) return prepared.failure();
  programs.pop_back();
  const Shape shape = model.at(model.inputs[0]).shape;
  const Map input{whole(shape), Numbers(7).take(shape.elements())};
  const Result<std::vector<Map>> expected = run(executor, whole_map, input);
  if (!expected) return expected.failure();
  const Status agree = tiles_agree(executor, model, programs, whole_map, input, *expected);
  if (!agree) return agree.failure();
  std::string bits;
  for (const Map& map : *expected) {
    bits.append(reinterpret_cast<const char*>(map.values.data()),
                bytes_of_floats(map.values.size()));
  }
  return sha256(bits);
}

}  // namespace shingle
