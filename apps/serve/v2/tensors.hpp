// Tensors of the Open Inference Protocol v2, as values. Bytes of elements lie densely, the last
// dimension first, little-endian, as this machine's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle::serve {

static_assert(std::endian::native == std::endian::little);

enum class DataType : uint8_t { fp32, uint8 };

constexpr std::string_view name_of(DataType type) {
  return type == DataType::fp32 ? "FP32" : "UINT8";
}
constexpr size_t bytes_of(DataType type) { return type == DataType::fp32 ? 4 : 1; }
constexpr std::optional<DataType> data_type(std::string_view name) {
  for (const DataType type : {DataType::fp32, DataType::uint8})
    if (name == name_of(type)) return type;
  return std::nullopt;
}

struct TensorInfo {
  std::string name;
  DataType type = DataType::fp32;
  std::vector<int64_t> shape;

  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

struct TensorValue {
  TensorInfo info;
  std::vector<std::byte> bytes;

  friend bool operator==(const TensorValue&, const TensorValue&) = default;
};

// None: a dimension is negative, or the product does not fit.
inline std::optional<uint64_t> elements_of(const std::vector<int64_t>& shape) {
  uint64_t elements = 1;
  for (const int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(size), &elements))
      return std::nullopt;
  return elements;
}

}  // namespace shingle::serve
