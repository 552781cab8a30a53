// Model: a directed acyclic graph of layers over feature maps, one frame at a time.
//
// The layers are in topological order. A tensor is a model input, a constant, or the output of
// exactly one layer. Weights are views: the bytes that they refer to (a mapped file) must outlive
// the model. The model owns the constants that the reader computed (folded batch normalisation).
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

// How a model output is read in its file's element order: dims[i] is a size of the file, and
// dim_axes[i] the factors of the box that make it up. `factors` and `box_axes` decompose the
// tensor's (y, x, c) as in Rearrange.
struct ModelOutput {
  std::string name;
  TensorId tensor;
  std::vector<int64_t> dims;  // as in the file, leading batch 1 included
  std::vector<int32_t> factors;
  std::array<std::vector<int32_t>, 3> box_axes;  // factor indices of y, x, c
  std::vector<std::vector<int32_t>>
      dim_axes;  // factor indices of each dim, most significant first; empty: size 1
  // A dim whose size depends on the frame: dims[dim] is its largest size, and another output, of
  // one element, says how many places there are. What is behind them is 0.
  struct Counted {
    size_t dim = 0;
    size_t output = 0;  // index in Model::outputs
  };
  std::vector<Counted> counted{};
  bool is_only_count = false;  // the file has no such output; it counts the places of others
};

// A model with a uint8 image as input, made from a model with a float input: element v of channel c
// means v * scale[c] + offset[c].
struct ImageInput {
  ModelHash of;  // the model with the float input
  std::vector<float> scale, offset;
  friend bool operator==(const ImageInput&, const ImageInput&) = default;
};

// A model made from a file that leaves sizes of its inputs open, by giving these sizes.
struct SizedInputs {
  ModelHash of;        // the hash of the file
  InputShapes shapes;  // of all inputs
  friend bool operator==(const SizedInputs&, const SizedInputs&) = default;
};

// How a node asks for a model: its hash, and how to make it if no file holds it as it is. First the
// sizes are given, then an image is put in front.
struct ModelName {
  ModelHash hash;
  std::optional<ImageInput> image{};
  std::optional<SizedInputs> sized{};
  friend bool operator==(const ModelName&, const ModelName&) = default;
};

// What a model takes for one frame: the bytes of each input, whole, in the model's order.
using WholeInputs = std::vector<std::vector<std::byte>>;

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

  // Set by the code that mapped the file: returns the memory of these bytes to the system. The
  // bytes can still be read again.
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

// Build a model by hand (readers, generators, tests). Shapes are inferred; the caller keeps the
// topological order. A layer whose inputs or constants do not fit gets the shape 0x0x0, which
// defects() reports; readers of untrusted files call infer_shape() (shape.hpp) first.
TensorId add_input(Model& model, std::string name, Shape shape,
                   ElementType type = ElementType::f32);
ConstantId add_constant(Model& model, std::vector<float> values);
TensorId add_constant_tensor(Model& model, std::string name, Shape shape,
                             std::vector<float> values);
TensorId add_layer(Model& model, std::string name, Operator op, std::vector<TensorId> inputs,
                   Activation activation = {});
// The same for layers whose output shape cannot be inferred from the inputs (TransposedConvolution,
// Resize, StridedSlice, pooling with ceil rounding).
TensorId add_layer(Model& model, std::string name, Operator op, std::vector<TensorId> inputs,
                   Activation activation, Shape output);
void add_output(Model& model, std::string name, TensorId tensor);  // dims as [1, c, h, w]

// Puts a Convert behind an input of the model, which then takes a uint8 image there: element v of
// channel c means v * scale[c] + offset[c]. Changes the hash, because the function is another one;
// equal hashes mean equal files and equal numbers. REQUIRES: `image` is an f32 input; finite
// numbers, one for each channel.
void take_image(Model& model, TensorId image, std::vector<float> scale, std::vector<float> offset);
// The same for a model with one input.
void take_image(Model& model, std::vector<float> scale, std::vector<float> offset);

// States that the model was read from a file with hash model.hash that leaves sizes of its inputs
// open, with these sizes. Changes the hash: equal hashes mean equal files and equal sizes.
void take_sizes(Model& model, InputShapes shapes);

// The hash of the model's file or files, without image and sizes.
ModelHash file_hash(const ModelName& name);
ModelName name_of(const Model& model);

// The model that consists of the layers up to and including `last`, whose output is the model's
// output. LayerIds stay the same, TensorIds may change. The hash is a new one. Views of a file's
// bytes are shared; constants that `model` owns are copied.
Model front(const Model& model, LayerId last);

// Hash of everything that defines the function: graph, operators, values of constants, names. For
// models built by hand; readers name a model by the hash of its file.
ModelHash structural_hash(const Model& model);

// What is wrong with a model, one sentence each. Empty: ids are in range, the order is topological,
// shapes and constants agree, and sizes are within limits.
std::vector<std::string> defects(const Model& model);

// The values in the element order of the file; `box` is the whole output tensor in (y, x, c) order.
std::vector<float> in_file_order(const ModelOutput& output, Shape shape,
                                 std::span<const float> box);

// What an output is in one frame.
struct OutputValue {
  std::vector<int64_t> dims;
  std::vector<float> values;  // in the file's order
};

// The outputs, each cut to the places that count. A count that is no number of places cuts nothing.
// REQUIRES: the values of all outputs in the file's order, or none.
std::vector<OutputValue> cut_to_counts(const Model& model,
                                       std::span<const std::vector<float>> in_file_order);

const char* name_of(const Operator& op);                                // "Convolution", ...
int64_t macs(const Model& model, LayerId layer, const Region& output);  // all that it needs
int64_t total_macs(const Model& model);
int64_t parameters(const Model& model);  // floats held by all constants

// States that the bytes of these constants will not be read soon. Has no effect on constants that
// the model owns.
void release_pages(const Model& model, std::span<const std::byte> bytes);

std::optional<LayerId> producer(const Model& model,
                                TensorId tensor);  // none for inputs and constants; O(layers)
std::vector<std::vector<LayerId>> readers(const Model& model);  // by tensor

}  // namespace shingle
