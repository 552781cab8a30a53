#include "partition/readers/onnx/numbers.hpp"

#include <algorithm>

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

constexpr std::string_view decide[] = {"And",   "Equal", "Greater", "GreaterOrEqual",
                                       "IsInf", "IsNaN", "Less",    "LessOrEqual",
                                       "Not",   "Or",    "Xor"};

constexpr std::string_view count[] = {"ArgMax",  "ArgMin", "NonMaxSuppression",
                                      "NonZero", "Shape",  "Size"};

// The input whose type the output has.
size_t typed_by(std::string_view op) {
  if (op == "Where" || op == "CastLike" || op == "If") return 1;
  return op == "OneHot" ? 2 : 0;
}

}  // namespace

std::optional<Numbers> numbers_of(int64_t data_type) {
  if (data_type != static_cast<int64_t>(static_cast<int32_t>(data_type))) return std::nullopt;
  switch (static_cast<DataType>(data_type)) {
    case DataType::f32:
    case DataType::f16:
    case DataType::bf16:
    case DataType::f64:
      return Numbers::real;
    case DataType::i32:
    case DataType::i64:
      return Numbers::whole;
    case DataType::boolean:
      return Numbers::truth;
    case DataType::u8:
    case DataType::i8:
      break;
  }
  return std::nullopt;
}

Numbers result_numbers(Node& node, size_t output) {
  const std::string_view op = node.op();
  if (std::ranges::find(decide, op) != std::end(decide)) return Numbers::truth;
  if (std::ranges::find(count, op) != std::end(count)) return Numbers::whole;
  if (output == 1 && (op == "TopK" || op == "MaxPool")) return Numbers::whole;
  if (op == "Cast") return numbers_of(node.integer("to", 0)).value_or(Numbers::real);
  return node.numbers(typed_by(op));
}

}  // namespace shingle::onnx
