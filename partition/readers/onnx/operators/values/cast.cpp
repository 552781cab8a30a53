// Cast and CastLike. Integers and booleans are floats that hold whole numbers (numbers.hpp), so a
// cast rounds towards 0 or to 16 bits, compares with 0, or changes nothing. CastLike does not round
// to 16 bits, because a value does not say of which floats it is made.
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

}  // namespace

void cast(Node& node) {
  const int64_t to = node.integer("to", 0);
  if (to != static_cast<int64_t>(static_cast<int32_t>(to))) node.refuse("its type is unknown");
  if (node.is_constant(0)) {
    return node.set(cast_constant(node, node.constant(0), static_cast<DataType>(to)));
  }
  const std::optional<Numbers> numbers = numbers_of(to);
  if (!numbers) {
    node.refuse("it casts to " + type_name(static_cast<int32_t>(to)) +
                ", and shingle casts to float, float16, bfloat16, double, int32, int64 and bool");
  }
  const Box result = converted(node, node.box(0), *numbers);
  const std::optional<Activation> rounding = rounding_to(static_cast<DataType>(to));
  node.set(rounding ? node.activate(result, *rounding) : result);
}

void cast_like(Node& node) {
  const Numbers numbers = node.numbers(1);
  if (node.is_constant(0)) {
    return node.set(cast_constant(node, node.constant(0), usual_type(numbers)));
  }
  node.set(converted(node, node.box(0), numbers));
}

}  // namespace shingle::onnx
