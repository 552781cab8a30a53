// Operators that make constants from attributes and shapes only.
#include <cmath>

#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t max_rank = 16;

Constant single(Node& node, const Constant* value) {
  if (value == nullptr) return node.store().floats({1}, {0.0F});
  if (value->count() != 1) node.refuse("its value is not one number");
  return *value;
}

// `value` repeated to fill `dims`.
Constant filled(Node& node, const Constant& value, const Dims& dims) {
  const int64_t count = checked_elements(dims, node.store().limits);
  node.store().budget.charge(count, value.integer ? 8 : 4);
  const auto n = static_cast<size_t>(count);
  if (value.integer) return node.store().integers(dims, std::vector<int64_t>(n, value.integers[0]));
  return node.store().floats(dims, std::vector<float>(n, value.floats[0]));
}

int64_t checked_count(Node& node, double count) {
  if (!(count <= static_cast<double>(node.store().limits.max_elements))) {
    node.refuse("its range has too many elements");
  }
  return std::max<int64_t>(static_cast<int64_t>(std::max(count, 0.0)), 0);
}

}  // namespace

void constant(Node& node) {
  if (const Attribute* value = node.attribute("value"); value != nullptr && value->tensor) {
    return node.set(node.store().from(*value->tensor));
  }
  if (node.has_attribute("value_float")) {
    return node.set(node.store().floats({}, {node.number("value_float", 0.0F)}));
  }
  if (node.has_attribute("value_int")) {
    return node.set(node.store().integers({}, {node.integer("value_int", 0)}));
  }
  if (const Attribute* list = node.attribute("value_floats")) {
    const auto count = static_cast<int64_t>(list->floats.size());
    node.store().budget.charge(count);
    return node.set(node.store().floats({count}, list->floats));
  }
  if (const Attribute* list = node.attribute("value_ints")) {
    const auto count = static_cast<int64_t>(list->ints.size());
    node.store().budget.charge(count, 8);
    return node.set(node.store().integers({count}, list->ints));
  }
  node.refuse("its value is neither a tensor nor a number");
}

void constant_of_shape(Node& node) {
  const Dims dims = node.integer_list(0);
  if (dims.size() > max_rank) node.refuse("its output has more than 16 dimensions");
  const Attribute* attribute = node.attribute("value");
  std::optional<Constant> value;
  if (attribute != nullptr && attribute->tensor) value = node.store().from(*attribute->tensor);
  Constant result = filled(node, single(node, value ? &*value : nullptr), dims);
  if (value) result.type = value->type;
  node.set(std::move(result));
}

void range(Node& node) {
  for (const size_t input : {0, 1, 2})
    if (!node.is_constant(input))
      node.refuse("its input " + std::to_string(input) +
                  " depends on the model's input, and no largest value of it is known");
  const Constant &start = node.constant(0), &limit = node.constant(1), &delta = node.constant(2);
  const float first = node.scalar(0), last = node.scalar(1), step = node.scalar(2);
  if (start.integer && limit.integer && delta.integer) {
    const int64_t begin = start.integers[0], by = delta.integers[0];
    if (by == 0) node.refuse("its step is 0");
    const double steps = (static_cast<double>(limit.integers[0]) - static_cast<double>(begin)) /
                         static_cast<double>(by);
    const int64_t count = checked_count(node, std::ceil(steps));
    node.store().budget.charge(count, 8);
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<int64_t>(static_cast<uint64_t>(begin) +
                                            static_cast<uint64_t>(i) * static_cast<uint64_t>(by)));
    }
    return node.set(node.store().integers({count}, std::move(values)));
  }
  const int64_t count =
      checked_count(node, std::ceil((double{last} - double{first}) / double{step}));
  node.store().budget.charge(count);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<float>(i) * step);
  node.set(node.store().floats({count}, std::move(values)));
}

}  // namespace shingle::onnx
