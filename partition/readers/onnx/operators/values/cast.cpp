// Cast and CastLike. Integers and booleans are floats that hold whole numbers (numbers.hpp), so a
// cast rounds towards 0 or to 16 bits, compares with 0, or changes nothing. CastLike rounds to 16
// bits if a constant of such a type says so: a value that depends on the input does not say of
// which floats it is made.
#include "partition/readers/onnx/element_types.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

Box converted(Node& node, const Box& box, Numbers to) {
  const bool from_truth = box.numbers == Numbers::truth;
  if (to == Numbers::truth && !from_truth) {
    return node.activate(box, {.kind = Activation::Kind::is_nonzero});
  }
  if (to == Numbers::whole && box.numbers == Numbers::real) {
    return node.activate(box, {.kind = Activation::Kind::truncate});
  }
  return box;
}

DataType usual_type(Numbers numbers) {
  if (numbers == Numbers::truth) return DataType::boolean;
  return numbers == Numbers::whole ? DataType::i64 : DataType::f32;
}

// The type of a value, as far as the value says.
DataType type_of(Node& node, size_t input) {
  const Value& value = node.value(input);
  const Constant* known = std::get_if<Constant>(&value);
  if (known != nullptr && known->type) return *known->type;
  return usual_type(node.numbers(input));
}

void cast_to(Node& node, DataType to) {
  if (node.is_constant(0)) return node.set(cast_constant(node, node.constant(0), to));
  const std::optional<Numbers> numbers = numbers_of(static_cast<int64_t>(to));
  if (!numbers) {
    node.refuse("it casts to " + type_name(static_cast<int32_t>(to)) +
                ", and shingle casts to float, float16, bfloat16, double, int32, int64 and bool");
  }
  const Box result = converted(node, node.box(0), *numbers);
  const std::optional<Activation> rounding = rounding_to(to);
  node.set(rounding ? node.activate(result, *rounding) : result);
}

}  // namespace

void cast(Node& node) {
  const int64_t to = node.integer("to", 0);
  if (to != static_cast<int64_t>(static_cast<int32_t>(to))) node.refuse("its type is unknown");
  cast_to(node, static_cast<DataType>(to));
}

void cast_like(Node& node) { cast_to(node, type_of(node, 1)); }

}  // namespace shingle::onnx
