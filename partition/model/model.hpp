// Model: a directed acyclic graph of layers over feature maps, one frame at a time.
//
// Layers stand in topological order. A tensor is a model input, a constant, or the output of
// exactly one layer. Weights are views: the bytes they look into (a mapped file) must outlive the
// model; constants that the reader computed (folded batch normalisation) are owned by it.
// Move-only.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partition/base/hash.hpp"
#include "partition/base/result.hpp"
#include "partition/model/element.hpp"
#include "partition/model/input_shapes.hpp"
#include "partition/model/operator.hpp"
#include "partition/model/region.hpp"

namespace shingle {

// Little-endian floats at any alignment.
struct FloatView {
  const std::byte* data = nullptr;
  int64_t count = 0;
  float operator[](int64_t i) const {
    float value;
    std::memcpy(&value, data + bytes_of_floats(i), sizeof value);
    return value;
  }
  std::span<const std::byte> bytes() const {
    return {data, static_cast<size_t>(bytes_of_floats(count))};
  }
  // REQUIRES: begin and length lie within the view.
  FloatView part(int64_t begin, int64_t length) const {
    assert(begin >= 0 && length >= 0 && begin + length <= count);
    return {data + bytes_of_floats(begin), length};
  }
};

struct Tensor {
  std::string name;
  Shape shape;
  ElementType type = ElementType::f32;
  std::optional<ConstantId>
      constant;  // elements in (y, x, c) order; known on every node, never sent
};

struct Layer {
  std::string name;  // the file's node name, for messages
  Operator op;
  std::vector<TensorId> inputs;
  TensorId output;
  Activation activation;
};

// How a model output reads in its file's order: dims[i] is the size, and axes[i] the factors of the
// box that make it up. `factors` and `box_axes` decompose the tensor's (y, x, c) exactly as
// Rearrange does.
struct ModelOutput {
  std::string name;
  TensorId tensor;
  std::vector<int64_t> dims;  // as in the file, leading batch 1 included
  std::vector<int32_t> factors;
  std::array<std::vector<int32_t>, 3> box_axes;  // factor indices of y, x, c
  std::vector<std::vector<int32_t>>
      dim_axes;  // factor indices of each dim, most significant first; empty: size 1
};

// A model that takes an uint8 image, made from one that takes floats: element v of channel c means
// v * scale[c] + offset[c].
struct ImageInput {
  ModelHash of;  // the one that takes floats
  std::vector<float> scale, offset;
  friend bool operator==(const ImageInput&, const ImageInput&) = default;
};

// A model whose file leaves sizes of its inputs open, made by saying them.
struct SizedInputs {
  ModelHash of;        // the file's
  InputShapes shapes;  // of all inputs
  friend bool operator==(const SizedInputs&, const SizedInputs&) = default;
};

// How a model is asked for: what it is, and how it is made where no file holds it as it is: first
// sized, then an image is put before it.
struct ModelName {
  ModelHash hash;
  std::optional<ImageInput> image{};
  std::optional<SizedInputs> sized{};
  friend bool operator==(const ModelName&, const ModelName&) = default;
};

struct Model {
  std::vector<Tensor> tensors;
  std::vector<Layer> layers;
  std::vector<TensorId> inputs;
  std::vector<ModelOutput> outputs;
  std::vector<FloatView> constants;
  std::vector<std::vector<float>> owned;  // storage behind the constants that no file holds
  ModelHash hash;
  std::optional<ImageInput> image;   // after take_image()
  std::optional<SizedInputs> sized;  // after take_sizes()

  // Where views look into a mapped file, set by who mapped it: gives the memory of these bytes
  // back; they can be read again.
  void (*release_pages)(std::span<const std::byte> bytes) = nullptr;

  Model() = default;
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Tensor& at(TensorId id) const { return tensors[id.value]; }
  const Layer& at(LayerId id) const { return layers[id.value]; }
  FloatView at(ConstantId id) const { return constants[id.value]; }
};

// Build a model by hand (readers, generators, tests). Shapes are inferred; the caller sees to
// topological order. A layer whose inputs or constants do not fit gets the shape 0x0x0, which
// defects() names; readers of untrusted files ask infer_shape() (shape.hpp) first.
TensorId add_input(Model& model, std::string name, Shape shape,
                   ElementType type = ElementType::f32);
ConstantId add_constant(Model& model, std::vector<float> values);
TensorId add_constant_tensor(Model& model, std::string name, Shape shape,
                             std::vector<float> values);
TensorId add_layer(Model& model, std::string name, Operator op, std::vector<TensorId> inputs,
                   Activation activation = {});
// The same where the output shape cannot be inferred from the inputs (TransposedConvolution,
// Resize, StridedSlice, pooling with ceil rounding).
TensorId add_layer(Model& model, std::string name, Operator op, std::vector<TensorId> inputs,
                   Activation activation, Shape output);
void add_output(Model& model, std::string name, TensorId tensor);  // dims as [1, c, h, w]

// Puts a Convert before everything: the model then takes an uint8 image whose element v of channel
// c means v * scale[c] + offset[c]. REQUIRES: one input, f32; finite numbers, one for each channel.
// Changes the hash (it is another function): equal hashes mean equal files and equal numbers.
void take_image(Model& model, std::vector<float> scale, std::vector<float> offset);

// Says that the model was read from a file named model.hash, which leaves sizes of its inputs open,
// with these sizes. Changes the hash: equal hashes mean equal files and equal sizes.
void take_sizes(Model& model, InputShapes shapes);

// What the model is made of: its file's hash, or its files'.
ModelHash file_hash(const ModelName& name);
ModelName name_of(const Model& model);

// A model with the layers from the front up to and including `last`; that layer's output is the
// model's output. LayerIds stay, TensorIds need not. The hash says that it is another function.
// Views of a file's bytes are shared, constants owned by `model` are copied.
Model front(const Model& model, LayerId last);

// Names everything that makes up the function: graph, operators, constants' values, names. For
// models built by hand; readers name a model by its file's bytes.
ModelHash structural_hash(const Model& model);

// What is wrong with a model, one sentence each; empty means sound: ids in range, order
// topological, shapes and constants agree, sizes within limits.
std::vector<std::string> defects(const Model& model);

// Element order of the file: `box` is the whole output tensor in (y, x, c) order.
std::vector<float> in_file_order(const ModelOutput& output, Shape shape,
                                 std::span<const float> box);

const char* name_of(const Operator& op);  // "Convolution", ...
int64_t macs(const Model& model, LayerId layer, const Region& output);
int64_t total_macs(const Model& model);
int64_t parameters(const Model& model);  // floats held by all constants

// Says that constants' bytes will not be read soon. Nothing happens to those that the model owns.
void release_pages(const Model& model, std::span<const std::byte> bytes);

std::optional<LayerId> producer(const Model& model,
                                TensorId tensor);  // none for inputs and constants; O(layers)
std::vector<std::vector<LayerId>> readers(const Model& model);  // by tensor

}  // namespace shingle
