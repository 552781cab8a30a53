#include "partition/readers/onnx/operators/attention/heads.hpp"

#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

Value in_heads(Node& node, size_t input, std::string_view count_of_heads) {
  if (node.is_constant(input)) static_cast<void>(node.floats(input));  // refuses integers
  const Dims dims = node.dims(input);
  for (const int64_t size : dims) {
    if (size < 1) node.refuse("its input " + text_of(dims) + " has no elements");
  }
  if (dims.size() == 4) return node.value(input);
  const int64_t heads = node.integer(count_of_heads, 0);
  if (dims.size() != 3 || heads < 1 || dims[2] % heads != 0) {
    node.refuse("its input " + text_of(dims) + " has neither 4 dimensions nor 3 with features of " +
                std::to_string(heads) + " heads");
  }
  const Dims split{dims[0], dims[1], heads, dims[2] / heads};
  return permuted(node, reshaped_value(node, node.value(input), split), {0, 2, 1, 3});
}

Value joined_heads(Node& node, const Value& value) {
  const Dims dims = dims_of(value);
  return reshaped_value(node, permuted(node, value, {0, 2, 1, 3}),
                        {dims[0], dims[2], dims[1] * dims[3]});
}

}  // namespace shingle::onnx
