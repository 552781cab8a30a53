#include "partition/readers/onnx/input_sizes.hpp"

#include <unordered_map>
#include <unordered_set>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/refusal.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

bool is_fixed(const Dimension& dimension) { return dimension.value && *dimension.value > 0; }

std::string name_of(const Dimension& dimension) {
  return dimension.symbol.empty() ? "?" : readable(dimension.symbol, 40);
}

// "batch x 3 x height x width"
std::string text_of(const ValueInfo& input) {
  std::string text;
  for (const Dimension& dimension : input.dims) {
    if (!text.empty()) text += " x ";
    text += is_fixed(dimension) ? std::to_string(*dimension.value) : name_of(dimension);
  }
  return text;
}

[[noreturn]] void refuse_free(const ValueInfo& input, size_t dim) {
  const Dimension& dimension = input.dims[dim];
  refuse("input " + in_quotes(input.name) + " is " + text_of(input) +
         ", and the file does not say " +
         (dimension.symbol.empty() ? "its dimension " + std::to_string(dim)
                                   : "how much " + in_quotes(dimension.symbol) + " is"));
}

class Sizes {
 public:
  Sizes(const std::vector<const ValueInfo*>& inputs, const InputShapes& said)
      : inputs_(inputs), said_(said) {
    for (size_t i = 0; i < said.size(); ++i) take(*inputs[i], said[i]);
  }

  // Sets the first dimension of all inputs first, because it may give its symbol a size.
  void assume_batches_of_one() {
    for (size_t i = said_.size(); i < inputs_.size(); ++i)
      if (!inputs_[i]->dims.empty() && !is_fixed(inputs_[i]->dims[0]))
        bound_.try_emplace(inputs_[i]->dims[0].symbol, 1);
  }

  // None: the dimension is open.
  std::optional<int64_t> size(size_t input, size_t dim) const {
    const Dimension& dimension = inputs_[input]->dims[dim];
    if (is_fixed(dimension)) return *dimension.value;
    if (input < said_.size()) return said_[input][dim];
    const auto bound = bound_.find(dimension.symbol);
    if (!dimension.symbol.empty() && bound != bound_.end()) return bound->second;
    return dim == 0 ? std::optional<int64_t>(1) : std::nullopt;
  }

 private:
  void take(const ValueInfo& input, const Dims& said) {
    const std::string what = "input " + in_quotes(input.name) + " is " + text_of(input);
    if (said.size() != input.dims.size())
      refuse(what + ", which has " + std::to_string(input.dims.size()) + " dimensions, and " +
             onnx::text_of(said) + " has " + std::to_string(said.size()));
    for (size_t dim = 0; dim < said.size(); ++dim) {
      const Dimension& dimension = input.dims[dim];
      const auto fits = is_fixed(dimension) ? *dimension.value
                        : dimension.symbol.empty()
                            ? said[dim]
                            : bound_.try_emplace(dimension.symbol, said[dim]).first->second;
      if (fits != said[dim])
        refuse(what + ", which " + onnx::text_of(said) + " does not fit: dimension " +
               std::to_string(dim) + " is " + std::to_string(fits));
    }
  }

  const std::vector<const ValueInfo*>& inputs_;
  const InputShapes& said_;
  std::unordered_map<std::string_view, int64_t> bound_;  // by symbol; "" is no symbol
};

}  // namespace

std::vector<const ValueInfo*> frame_inputs(const Graph& graph) {
  std::unordered_set<std::string_view> defaults;
  for (const TensorProto& tensor : graph.initializers) defaults.insert(tensor.name);
  std::vector<const ValueInfo*> inputs;
  for (const ValueInfo& input : graph.inputs)
    if (!defaults.contains(input.name)) inputs.push_back(&input);
  return inputs;
}

InputSizes sizes_of(const std::vector<const ValueInfo*>& inputs, const InputShapes& said,
                    const OnnxLimits& limits) {
  if (said.size() > inputs.size())
    refuse("sizes of " + std::to_string(said.size()) + " inputs are given, and the ONNX file has " +
           std::to_string(inputs.size()));
  const InputShapes nothing;
  Sizes sizes(inputs, said), alone(inputs, nothing);
  sizes.assume_batches_of_one();
  alone.assume_batches_of_one();
  InputSizes result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Dims& dims = result.dims.emplace_back();
    for (size_t dim = 0; dim < inputs[i]->dims.size(); ++dim) {
      const std::optional<int64_t> size = sizes.size(i, dim);
      if (!size) refuse_free(*inputs[i], dim);
      dims.push_back(*size);
      result.said_outside = result.said_outside || alone.size(i, dim) != size;
    }
    check_box_dims(dims, limits, "input " + in_quotes(inputs[i]->name));
  }
  return result;
}

}  // namespace shingle::onnx
