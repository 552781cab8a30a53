#include "partition/readers/onnx/operators/constant.hpp"

#include <cassert>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/element_types.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

[[noreturn]] void refuse_tensor(const TensorProto& tensor, const std::string& why) {
  refuse("tensor " + in_quotes(tensor.name) + " " + why);
}

template <class T>
std::vector<T> little_endian(std::string_view raw, size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), raw.data(), count * sizeof(T));
  return values;
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
  std::vector<To> result;
  result.reserve(values.size());
  for (const From value : values) result.push_back(static_cast<To>(value));
  return result;
}

size_t element_bytes(const TensorProto& tensor) {
  switch (static_cast<DataType>(tensor.data_type)) {
    case DataType::f32:
    case DataType::i32:
      return 4;
    case DataType::i64:
    case DataType::f64:
      return 8;
    case DataType::f16:
    case DataType::bf16:
      return 2;
    case DataType::u8:
    case DataType::i8:
    case DataType::boolean:
      return 1;
  }
  refuse_tensor(tensor, "is of type " + type_name(tensor.data_type) +
                            ", and shingle reads float, float16, bfloat16, double, bool and "
                            "integers of 8, 32 and 64 bits");
}

// Integers of any width, converted to 64 bits.
std::vector<int64_t> raw_integers(DataType type, std::string_view raw, size_t count) {
  switch (type) {
    case DataType::i64:
      return little_endian<int64_t>(raw, count);
    case DataType::i32:
      return converted<int64_t>(little_endian<int32_t>(raw, count));
    case DataType::i8:
      return converted<int64_t>(little_endian<int8_t>(raw, count));
    case DataType::u8:
    case DataType::boolean:
      return converted<int64_t>(little_endian<uint8_t>(raw, count));
    case DataType::f32:
    case DataType::f16:
    case DataType::bf16:
    case DataType::f64:
      break;
  }
  assert(false);
  return {};
}

void check_count(const TensorProto& tensor, const std::optional<std::string_view>& raw,
                 int64_t count) {
  const bool good = raw ? raw->size() == static_cast<size_t>(count) * element_bytes(tensor)
                        : static_cast<size_t>(count) ==
                              tensor.floats.size() + tensor.integers.size() + tensor.doubles.size();
  if (!good) refuse_tensor(tensor, "does not hold as many elements as its dimensions say");
}

}  // namespace

int64_t Constant::count() const {
  return integer ? static_cast<int64_t>(integers.size()) : floats.count;
}

void Budget::charge(int64_t elements, int64_t bytes_each) {
  if (elements > left_ / bytes_each) {
    refuse("the constants that the ONNX file computes take more than " +
           std::to_string((most_ + (1 << 20) - 1) >> 20) +
           " MiB; allow more with --max-constants, or export it with constants folded");
  }
  left_ -= elements * bytes_each;
}

int64_t checked_elements(const Dims& dims, const OnnxLimits& limits) {
  int64_t total = 1;
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) refuse("a tensor has the negative dimension " + std::to_string(dim));
    if (dim > limits.max_elements || total > limits.max_elements / std::max<int64_t>(dim, 1)) {
      refuse("a tensor has more than " + std::to_string(limits.max_elements) + " elements");
    }
    empty = empty || dim == 0;
    total *= std::max<int64_t>(dim, 1);
  }
  return empty ? 0 : total;
}

Constant ConstantStore::floats(Dims dims, std::vector<float> values) {
  const ConstantId id = add_constant(model, std::move(values));
  const FloatView view = model.at(id);
  return {.dims = std::move(dims), .integer = false, .floats = view, .integers = {}};
}

Constant ConstantStore::integers(Dims dims, std::vector<int64_t> values) {
  return {.dims = std::move(dims), .integer = true, .floats = {}, .integers = std::move(values)};
}

Constant ConstantStore::from(const TensorProto& tensor) {
  Constant constant = elements_of(tensor);
  constant.type = static_cast<DataType>(tensor.data_type);
  return constant;
}

Constant ConstantStore::elements_of(const TensorProto& tensor) {
  const int64_t count = checked_elements(tensor.dims, limits);
  const auto type = static_cast<DataType>(tensor.data_type);
  const auto bytes = count * static_cast<int64_t>(element_bytes(tensor));
  const std::optional<std::string_view> raw =
      tensor.external ? external_bytes(tensor, bytes, external) : tensor.raw;
  check_count(tensor, raw, count);
  const auto n = static_cast<size_t>(count);
  if (type == DataType::f32 && raw) {
    const FloatView view{.data = reinterpret_cast<const std::byte*>(raw->data()), .count = count};
    return {.dims = tensor.dims, .integer = false, .floats = view, .integers = {}};
  }
  const bool whole = !holds_floats(type);
  budget.charge(count, whole ? 8 : 4);
  if (!whole) {
    if (auto values = floats_of(tensor, raw, n)) return floats(tensor.dims, std::move(*values));
  } else {
    if (raw) return integers(tensor.dims, raw_integers(type, *raw, n));
    if (tensor.integers.size() == n) return integers(tensor.dims, tensor.integers);
  }
  refuse_tensor(tensor, "does not hold elements of its type");
}

}  // namespace shingle::onnx
