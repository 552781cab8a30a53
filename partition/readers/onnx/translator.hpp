// Translator: the state while one ONNX graph is turned into a Model; and Node, the part of it that
// the translation of one operator sees. Translations are free functions `void f(Node&)`, listed in
// operators/operators.cpp. They refuse with a sentence that names the node.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "partition/readers/onnx/amount.hpp"
#include "partition/readers/onnx/file.hpp"
#include "partition/readers/onnx/numbers.hpp"
#include "partition/readers/onnx/operators/constant.hpp"
#include "partition/readers/onnx/patterns/affine_chain.hpp"
#include "partition/readers/onnx/view.hpp"

namespace shingle::onnx {

// A value that depends on the model's input: a tensor, and how its dims read it.
struct Box {
  TensorId tensor;
  View view;
  // No other node reads the tensor, so its layer may still be changed (activations, folding).
  bool sole = false;
  Numbers numbers = Numbers::real;  // set() derives it from the operator
  // What is known of sizes that depend on the input (operators/counts/follow.hpp sets both): its
  // own; and, if it is a short list of whole numbers, of each element in the file's order.
  Counts counts{};
  std::vector<Amount> amounts{};
  bool says_none = false;  // 1 if some count is 0, otherwise 0
};

using Value = std::variant<Constant, Box>;

std::string node_name(const NodeProto& node, size_t index);  // "Conv_7" for one without a name
bool is_of_onnx(const NodeProto& node);                      // an operator of ONNX's own domain

// What the translation of a graph needs besides the graph.
struct Circumstances {
  int64_t opset;
  const OnnxLimits& limits;
  const std::vector<Dims>& sizes;  // of its frame_inputs()
  std::span<const OnnxExternal> external;
  int64_t held_bytes;  // total size of its files
};

class Translator {
 public:
  Translator(const Graph& graph, const Circumstances& with);

  // Translates inputs, every live node in order, and outputs. The result may still hold unused
  // parts.
  Model translate() &&;

  // To learn of constants before the graph is translated: the inputs first, then nodes in order.
  // What is made so is thrown away; a node that is refused makes nothing.
  void probe_inputs() { add_inputs(); }
  void probe(const NodeProto& node, size_t index);
  const Constant* known(std::string_view name);  // null: not known, or not constant
  bool says_none(std::string_view name);         // is it a value that tells of a count being 0?

 private:
  friend class Node;
  using RearrangeKey = std::tuple<uint32_t, std::vector<int32_t>, BoxAxes, BoxAxes>;

  void add_inputs();
  void add_outputs();
  Box output_box(std::string_view name, const Value& value);
  void add_output(std::string_view name, const Box& box);
  Box counted_output(std::string_view name, const Box& box);
  std::string name_of_count(std::string_view output, const std::string& dim) const;
  void add_counts(size_t output, std::string_view name, const Counts& counts);
  void count_uses();
  void check_names() const;
  const Value* find(std::string_view name);  // null: no node before makes it

  const Graph& graph_;
  int64_t opset_;
  const OnnxLimits& limits_;
  const std::vector<Dims>& sizes_;
  Model model_;
  ConstantStore store_;
  std::unordered_map<std::string_view, Value> values_;
  std::unordered_map<std::string_view, const TensorProto*> initializers_;
  std::unordered_map<std::string_view, int64_t> uses_;
  std::vector<bool> live_;                           // by node
  std::unordered_map<uint32_t, uint32_t> layer_of_;  // by tensor: the layer that makes it
  std::map<RearrangeKey, TensorId> rearranged_;      // so that no move is made twice
  AmountTensors amount_tensors_;
  std::unordered_map<std::string_view, Box> found_places_;  // by what a NonZero reads
  std::unordered_map<uint32_t, AffineChain> chains_;        // by tensor: the chain that it ends
};

class Node {
 public:
  Node(Translator& translator, const NodeProto& proto, size_t index)
      : translator_(translator), proto_(proto), index_(index) {}

  std::string name() const;
  std::string_view op() const { return proto_.op; }
  int64_t opset() const { return proto_.opset != 0 ? proto_.opset : translator_.opset_; }
  ConstantStore& store() { return translator_.store_; }
  Model& model() { return translator_.model_; }
  [[noreturn]] void refuse(const std::string& why) const;  // "node 'n' (Op): why"

  bool of_onnx() const { return is_of_onnx(proto_); }

  // Attributes; the default if one is missing.
  bool has_attribute(std::string_view name) const { return attribute(name) != nullptr; }
  const Attribute* attribute(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  float number(std::string_view name, float otherwise) const;
  Dims integers(std::string_view name, Dims otherwise = {}) const;
  std::string_view text(std::string_view name, std::string_view otherwise) const;

  // Inputs. An optional input that is left out counts as absent.
  size_t inputs() const { return proto_.inputs.size(); }
  size_t outputs() const { return proto_.outputs.size(); }
  bool has(size_t input) const;
  std::string_view input_name(size_t input) const { return proto_.inputs[input]; }
  const Value& value(size_t input);        // refuses one that no node makes
  const Constant& constant(size_t input);  // refuses one that depends on the model's input
  const Constant& floats(size_t input);    // the same; refuses integers
  Box box(size_t input);                   // refuses a constant
  bool is_constant(size_t input) { return std::holds_alternative<Constant>(value(input)); }
  bool all_constant();
  Dims dims(size_t input);
  Numbers numbers(size_t input);    // real if the input is missing
  Dims integer_list(size_t input);  // a constant of at most 1 dim, as int64
  float scalar(size_t input);       // a constant of one element

  // `axis` counted from the front; refuses one out of range.
  size_t axis(int64_t axis, size_t rank) const;

  // From here on, this node finds `value` in place of its input.
  void replace(size_t input, Value value) { replaced_.insert_or_assign(input, std::move(value)); }

  // Outputs that the file leaves out are ignored.
  bool wants(size_t output) const;
  void set(size_t output, Value value);
  void set(Value value) { set(0, std::move(value)); }
  Value* made(size_t output);  // what set() was given; null: nothing, or it was ignored

  // Add layers. The view must read the layer's output shape. The first one infers the shape.
  Box emit(Operator op, std::vector<TensorId> inputs, View view);
  Box emit(Operator op, std::vector<TensorId> inputs, View view, Shape shape);
  View new_map(const Dims& dims) const;  // map_view() of dims, which it checks first
  AmountTensors& amount_tensors() { return translator_.amount_tensors_; }
  auto& found_places() { return translator_.found_places_; }
  TensorId constant_tensor(Shape shape, std::vector<float> values);  // REQUIRES: charged
  ConstantId constant_id(FloatView view);

  const Layer* maker(TensorId tensor) const;  // null for the model's inputs and constants

  // The layer behind a box if only this node reads it and it has no activation yet; otherwise null.
  Layer* changeable_layer(const Box& box);

  // The chain that ends with the box, if nobody else reads it and it has no activation; or null.
  const AffineChain* chain(const Box& box);
  void set_chain(TensorId tensor, AffineChain chain);

  Box activate(const Box& box, Activation activation);
  Box laid_out(const Box& box,
               const BoxAxes& target);  // adds a Rearrange unless the layout is that already
  Box as_map(const Box& box);           // laid out by map_axes; refuses a batch
  Box as_image(size_t input);           // as_map of rank 3 or 4: dims [1, C, (H,) W]

 private:
  void check_rank(const Value& value) const;
  Box layer(Operator op, std::vector<TensorId> inputs, View view, Shape shape);

  Translator& translator_;
  const NodeProto& proto_;
  size_t index_;
  std::map<size_t, Value> replaced_;  // by input
};

std::string text_of(const Dims& dims);  // "1x3x416x416"

// Refuses dims that no tensor can have: sizes below 1 or beyond the limits.
void check_box_dims(const Dims& dims, const OnnxLimits& limits, const std::string& what);

}  // namespace shingle::onnx
