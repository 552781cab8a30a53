// Models: shapes inferred from operators, defects, models made from models.
#include "partition/model/model.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "partition/model/shape.hpp"
#include "partition/plan/program.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

ConstantId ones(Model& model, size_t count) {
  return add_constant(model, std::vector<float>(count, 1.0F));
}

Shape shape_of(Shape input, Operator op) {
  Model model;
  const TensorId in = add_input(model, "in", input);
  return model.at(add_layer(model, "layer", std::move(op), {in})).shape;
}

// input 9x8x4 -> convolution 3x3 of 6 channels with bias -> relu
Model small() {
  Model model;
  const TensorId in = add_input(model, "in", {9, 8, 4});
  const Window same{3, 1, 1, 1, 1};
  const ConstantId weights = ones(model, 6 * 4 * 9), bias = ones(model, 6);
  const TensorId conv = add_layer(model, "conv", Convolution{same, same, 1, weights, bias}, {in});
  const TensorId relu =
      add_layer(model, "relu", Elementwise{}, {conv}, {Activation::Kind::relu, 0, 0});
  add_output(model, "out", relu);
  model.hash = structural_hash(model);
  return model;
}

// All defects of a model in one string.
std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

template <class Change>
std::string defect_after(Change change) {
  Model model = small();
  change(model);
  return joined(defects(model));
}

bool says(const std::string& text, const char* words) {
  CAPTURE(text);
  const bool found = text.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("shapes follow from operators") {
  const Window down{3, 2, 1, 1, 1};
  CHECK(shape_of({15, 12, 4}, Pooling{Pooling::Kind::max, down, down, false}) == Shape{8, 6, 4});
  CHECK(shape_of({15, 12, 4}, Reduction{Reduction::Kind::mean, true, false, true}) ==
        Shape{1, 12, 1});
  CHECK(shape_of({15, 12, 4}, StridedSlice{{1, 11, 0}, {2, -3, 1}}) == Shape{7, 4, 4});
  CHECK(shape_of({15, 12, 4}, Gather{Axis::y, {3, 3, 0}}) == Shape{3, 12, 4});
  CHECK(shape_of({15, 12, 4}, Pad{{1, 0, 2}, {0, 5, 0}, 0.0F}) == Shape{16, 17, 6});
  Resize twice;
  twice.scale_y = twice.scale_x = 2.0F;
  CHECK(shape_of({15, 12, 4}, twice) == Shape{30, 24, 4});
  CHECK(
      shape_of({4, 6, 4}, Rearrange{{4, 6, 2, 2}, {{{0}, {1}, {2, 3}}}, {{{0, 2}, {1, 3}, {}}}}) ==
      Shape{8, 12, 1});
  CHECK(shape_of({4, 6, 4}, Softmax{Axis::c, true}) == Shape{4, 6, 4});
}

TEST_CASE("weights determine the number of output channels") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 6});
  const Window k3{3, 1, 1, 1, 1}, k2{2, 2, 1, 0, 0};
  const TensorId grouped =
      add_layer(model, "grouped", Convolution{k3, k3, 3, ones(model, 9 * 2 * 9), {}}, {in});
  CHECK(model.at(grouped).shape == Shape{8, 8, 9});
  const TensorId grown = add_layer(
      model, "grown", TransposedConvolution{k2, k2, 3, ones(model, 9 * 4 * 4), {}}, {grouped});
  CHECK(model.at(grown).shape == Shape{16, 16, 12});
  CHECK(macs(model, LayerId{0}, whole({8, 8, 9})) == 64 * 9 * 2 * 9);
  // Every input element meets each tap of each output channel of its group.
  CHECK(macs(model, LayerId{1}, whole({16, 16, 12})) == 64 * 9 * 4 * 4);
  CHECK(total_macs(model) == 64 * 9 * 2 * 9 + 64 * 9 * 4 * 4);
  CHECK(parameters(model) == 9 * 2 * 9 + 9 * 4 * 4);
}

TEST_CASE("operands broadcast and concatenate") {
  Model model;
  const TensorId a = add_input(model, "a", {8, 1, 6}), b = add_input(model, "b", {1, 5, 6});
  CHECK(model.at(add_layer(model, "sum", Binary{}, {a, b})).shape == Shape{8, 5, 6});
  CHECK(model.at(add_layer(model, "join", Concat{Axis::y}, {a, a, a})).shape == Shape{24, 1, 6});
  CHECK(model.at(add_layer(model, "misfit", Concat{Axis::y}, {a, b})).shape == Shape{0, 0, 0});
}

TEST_CASE("a sound model has no defects") {
  CHECK(joined(defects(small())) == "");
  networks::Random random(61);
  for (int trial = 0; trial < 40; ++trial) {
    CHECK(joined(defects(networks::random_model(random))) == "");
  }
}

TEST_CASE("each thing that is wrong with a model is named") {
  says(defect_after([](Model& m) { m.outputs.clear(); }), "the model has no output");
  says(defect_after([](Model& m) { m.inputs.clear(); }), "before it is made");
  says(defect_after([](Model& m) { m.inputs.push_back(TensorId{77}); }), "not there");
  says(defect_after([](Model& m) { m.inputs.push_back(m.inputs[0]); }), "more than one origin");
  says(defect_after([](Model& m) { std::swap(m.layers[0], m.layers[1]); }), "before it is made");
  says(defect_after([](Model& m) { m.layers[1].inputs = {TensorId{99}}; }), "not there");
  says(defect_after([](Model& m) { m.layers[1].inputs.clear(); }), "0 inputs where 1");
  says(defect_after([](Model& m) { m.layers[1].output = TensorId{99}; }), "not there");
  says(defect_after([](Model& m) { m.layers[1].output = m.layers[0].output; }), "more than one");
  says(defect_after([](Model& m) {
         m.tensors[1].shape = {9, 8, 7};
       }),
       "layer 'conv' (Convolution): its output cannot be 9x8x7");
  says(defect_after([](Model& m) { m.tensors[0].shape = {0, 8, 4}; }), "empty or too large");
  says(defect_after([](Model& m) { m.tensors[0].shape = {1 << 20, 1 << 20, 4}; }), "too large");
  says(defect_after([](Model& m) { m.tensors[0].type = ElementType::u8; }), "wrong element type");
  says(defect_after([](Model& m) { m.constants[0].count -= 1; }), "whole number of channels");
  says(defect_after([](Model& m) { m.constants[1].count = 5; }), "bias");
  says(defect_after([](Model& m) { m.constants[1].data = nullptr; }), "has no values");
  says(defect_after([](Model& m) { m.outputs[0].tensor = m.inputs[0]; }), "not made by a layer");
  says(defect_after([](Model& m) { m.outputs[0].dims[1] = 5; }), "its factors do not make up");
  says(defect_after([](Model& m) { m.outputs[0].box_axes[0] = {0, 0}; }), "its factors");
  says(defect_after([](Model& m) { m.outputs[0].dim_axes[1] = {-1}; }), "its factors");
  says(defect_after([](Model& m) {
         m.tensors.push_back({"stray", {1, 1, 1}, {}, {}});
       }),
       "tensor 'stray' has no origin");
  says(defect_after([](Model& m) {
         add_constant_tensor(m, "short", {2, 2, 2}, {1, 2, 3});
       }),
       "its constant holds 3 values");
}

TEST_CASE("operators with hostile numbers are refused without overflow") {
  const int32_t huge = std::numeric_limits<int32_t>::max();
  const int32_t lowest = std::numeric_limits<int32_t>::min();
  const Shape map{6, 6, 4};
  const Window sound{3, 1, 1, 1, 1};
  for (const Window& window :
       {Window{0, 1, 1, 0, 0}, Window{3, 0, 1, 0, 0}, Window{3, 1, 0, 0, 0}, Window{3, 1, 1, -1, 0},
        Window{huge, huge, huge, huge, huge}, Window{lowest, lowest, lowest, lowest, lowest},
        Window{1 << 20, 1, 1 << 20, 0, 0}, Window{9, 1, 1, 0, 0}}) {
    CHECK(shape_of(map, Pooling{Pooling::Kind::max, window, sound, false}) == Shape{0, 0, 0});
    CHECK(shape_of(map, Convolution{sound, window, 1, ConstantId{0}, {}}) == Shape{0, 0, 0});
    CHECK(shape_of(map, TransposedConvolution{sound, window, 1, ConstantId{0}, {}}) ==
          Shape{0, 0, 0});
  }
  Model uneven;  // 2 groups cannot share 3 output channels
  const TensorId in = add_input(uneven, "in", map);
  const Convolution shared{sound, sound, 2, ones(uneven, 3 * 2 * 9), {}};
  CHECK(uneven.at(add_layer(uneven, "uneven", shared, {in})).shape == Shape{0, 0, 0});
  for (int32_t groups : {0, -1, 3, huge, lowest}) {
    CHECK(shape_of(map, Convolution{sound, sound, groups, {}, {}}) == Shape{0, 0, 0});
  }
  CHECK(shape_of(map, Pad{{huge, huge, huge}, {huge, huge, huge}, 0}) == Shape{0, 0, 0});
  CHECK(shape_of(map, Pad{{-1, 0, 0}, {2, 0, 0}, 0}) == Shape{0, 0, 0});
  CHECK(shape_of(map, StridedSlice{{0, 0, 0}, {1, 0, 1}}) == Shape{0, 0, 0});
  CHECK(shape_of(map, StridedSlice{{0, 6, 0}, {1, 1, 1}}) == Shape{0, 0, 0});
  CHECK(shape_of(map, StridedSlice{{5, 0, 0}, {lowest, huge, 1}}) == Shape{1, 1, 4});
  CHECK(shape_of(map, Gather{Axis::y, {}}) == Shape{0, 0, 0});
  CHECK(shape_of(map, Gather{Axis::y, {6}}) == Shape{0, 0, 0});
  CHECK(shape_of(map, Rearrange{{6, 6, 4}, {{{0}, {1}, {3}}}, {{{0}, {1}, {2}}}}) ==
        Shape{0, 0, 0});
  CHECK(shape_of(map, Rearrange{{6, 6, 4}, {{{0}, {1}, {2}}}, {{{0}, {1}, {1}}}}) ==
        Shape{0, 0, 0});
  CHECK(shape_of(map, Rearrange{{6, 6, 4}, {{{0}, {1}, {2}}}, {{{0}, {1}, {2, 2}}}}) ==
        Shape{0, 0, 0});
  CHECK(shape_of(map, Rearrange{{6, 6, -4}, {{{0}, {1}, {2}}}, {{{0}, {1}, {2}}}}) ==
        Shape{0, 0, 0});
  Rearrange long_winded{{6, 6, 4}, {{{0}, {1}, {2}}}, {{{0}, {1}, {2}}}};
  for (int32_t factor = 3; factor < 100'000; ++factor) {
    long_winded.factors.push_back(1);
    long_winded.input_axes[0].push_back(factor);
    long_winded.output_axes[0].push_back(factor);
  }
  CHECK(shape_of(map, long_winded) == Shape{0, 0, 0});
  CHECK(shape_of(map, Convert{{1, 1, 1, 1}, {0, 0, 0, 0}}) == Shape{0, 0, 0});  // reads only u8
  for (float scale : {0.0F, -1.0F, 1e30F, std::numeric_limits<float>::quiet_NaN(),
                      std::numeric_limits<float>::infinity(), 0.01F}) {
    Resize op;
    op.scale_y = scale;
    CHECK(shape_of(map, op) == Shape{0, 0, 0});
  }
}

TEST_CASE("a shape that the file gives is taken only where the operator leaves a choice") {
  const auto verdict = [](Operator op, Shape output) {
    Model model;
    const TensorId in = add_input(model, "in", {7, 7, 4});
    add_layer(model, "layer", std::move(op), {in}, {}, output);
    return check_shape(model, model.layers[0]).ok();
  };
  const Window pool{2, 2, 1, 0, 0};
  const Pooling pooling{Pooling::Kind::max, pool, pool, false};
  CHECK(verdict(pooling, {3, 3, 4}));
  CHECK(verdict(pooling, {4, 3, 4}));  // ceil rounding
  CHECK(!verdict(pooling, {5, 3, 4}));
  CHECK(!verdict(pooling, {3, 3, 5}));
  CHECK(verdict(StridedSlice{}, {2, 7, 1}));
  CHECK(!verdict(StridedSlice{}, {8, 7, 1}));
  CHECK(verdict(Resize{}, {19, 3, 4}));
  CHECK(!verdict(Resize{}, {19, 3, 2}));
  CHECK(!verdict(Elementwise{}, {7, 6, 4}));
}

TEST_CASE("an image input puts one conversion before everything") {
  Model model = small();
  const Hash before = model.hash;
  take_image(model, {1, 1, 1, 1}, {0, 0, 0, 0.5F});
  CHECK(joined(defects(model)) == "");
  REQUIRE(model.layers.size() == 3);
  CHECK(std::holds_alternative<Convert>(model.layers[0].op));
  CHECK(model.at(model.inputs[0]).type == ElementType::u8);
  CHECK(model.layers[1].inputs[0] == model.layers[0].output);
  CHECK(model.at(model.layers[0].output).type == ElementType::f32);

  Model again = small(), other = small();
  take_image(again, {1, 1, 1, 1}, {0, 0, 0, 0.5F});
  take_image(other, {1, 1, 1, 1}, {0, 0, 0, 0.25F});
  CHECK(model.hash != before);
  CHECK(model.image == ImageInput{before, {1, 1, 1, 1}, {0, 0, 0, 0.5F}});
  CHECK(model.hash == again.hash);
  CHECK(model.hash != other.hash);
}

TEST_CASE("the front of a model is a model and keeps its constants' values") {
  Model model = small();
  const Hash whole_hash = model.hash;
  const FloatView weights = model.constants[0];
  const Model begin = front(model, LayerId{0});
  CHECK(joined(defects(begin)) == "");
  CHECK(begin.layers.size() == 1);
  CHECK(begin.hash != whole_hash);
  REQUIRE(begin.outputs.size() == 1);
  CHECK(begin.outputs[0].tensor == begin.layers[0].output);
  CHECK(begin.at(begin.outputs[0].tensor).shape == Shape{9, 8, 6});
  CHECK(begin.constants.size() == 2);
  CHECK(begin.constants[0].count == weights.count);
  CHECK(begin.constants[0].data !=
        weights.data);  // a copy, because it outlives the model that it comes from
  CHECK(begin.constants[0][5] == weights[5]);

  networks::Random random(62);
  for (int trial = 0; trial < 20; ++trial) {
    const Model other = networks::random_model(random);
    for (uint32_t last = 0; last < other.layers.size(); ++last) {
      CHECK(joined(defects(front(other, LayerId{last}))) == "");
    }
  }
}

TEST_CASE("a front shares the values of a file instead of copying them") {
  const std::vector<float> file(6 * 4 * 9 + 6, 2.0F);
  Model model = small();
  model.constants[0].data = reinterpret_cast<const std::byte*>(file.data());
  CHECK(front(model, LayerId{0}).constants[0].data == model.constants[0].data);
}

TEST_CASE("a moved model's constants stay where they are") {
  Model model = small();
  const std::byte* data = model.constants[1].data;
  const Model moved = std::move(model);
  CHECK(moved.constants[1].data == data);
  CHECK(moved.constants[1][5] == 1.0F);
}

TEST_CASE("the structural hash tells models apart") {
  const Hash hash = structural_hash(small());
  CHECK(hash == structural_hash(small()));
  const auto changed = [](auto change) {
    Model model = small();
    change(model);
    return structural_hash(model);
  };
  CHECK(hash != changed([](Model& m) { m.owned[0][7] = 1.5F; }));
  CHECK(hash != changed([](Model& m) { m.layers[1].activation.kind = Activation::Kind::tanh; }));
  CHECK(hash != changed([](Model& m) { std::get<Convolution>(m.layers[0].op).x.dilation = 2; }));
  CHECK(hash != changed([](Model& m) { m.outputs[0].name = "other"; }));
  CHECK(hash != changed([](Model& m) { std::get<Convolution>(m.layers[0].op).bias.reset(); }));
}

TEST_CASE("graph queries: who makes a tensor and who reads it") {
  Model model;
  const TensorId in = add_input(model, "in", {4, 4, 2});
  const TensorId twice = add_layer(model, "twice", Binary{}, {in, in});
  add_layer(model, "sum", Binary{}, {twice, in});
  CHECK(producer(model, in) == std::nullopt);
  CHECK(producer(model, twice) == LayerId{0});
  const std::vector<std::vector<LayerId>> by_tensor = readers(model);
  CHECK(by_tensor[in.value] == std::vector<LayerId>{LayerId{0}, LayerId{1}});
  CHECK(by_tensor[twice.value] == std::vector<LayerId>{LayerId{1}});
  CHECK(by_tensor[2].empty());
  CHECK(std::string(name_of(Operator{Convert{}})) == "Convert");
  CHECK(std::string(name_of(Operator{Convolution{}})) == "Convolution");
}

TEST_CASE("an output reads in its file's order") {
  Model model;
  const TensorId in = add_input(model, "in", {2, 3, 4});
  add_output(model, "nchw", add_layer(model, "same", Elementwise{}, {in}));
  std::vector<float> box;
  for (int i = 0; i < 24; ++i) box.push_back(static_cast<float>(i));
  const Shape shape{2, 3, 4};

  const std::vector<float> planar = in_file_order(model.outputs[0], shape, box);
  size_t at = 0;
  for (int c = 0; c < 4; ++c)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) CHECK(planar[at++] == static_cast<float>((y * 3 + x) * 4 + c));

  // A detection head: channels are (anchor, attribute); the file has [1, h, w, anchor*attribute/2,
  // 2] rows flattened.
  const ModelOutput head{.name = "head",
                         .tensor = model.outputs[0].tensor,
                         .dims = {1, 12, 2},
                         .factors = {2, 3, 2, 2},
                         .box_axes = {{{0}, {1}, {2, 3}}},
                         .dim_axes = {{}, {2, 0, 1}, {3}}};
  const std::vector<float> rows = in_file_order(head, shape, box);
  at = 0;
  for (int anchor = 0; anchor < 2; ++anchor)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        for (int value = 0; value < 2; ++value)
          CHECK(rows[at++] == static_cast<float>((y * 3 + x) * 4 + anchor * 2 + value));
  model.outputs[0] = head;
  CHECK(joined(defects(model)) == "");
}
