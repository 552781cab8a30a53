#include "partition/readers/onnx/operators/movement.hpp"

#include <algorithm>
#include <cmath>

#include "partition/readers/onnx/element_types.hpp"

namespace shingle::onnx {

namespace {

// A constant of those elements of `source` whose indices next() returns, in that order.
template <class Next>
Constant picked(Node& node, const Constant& source, Dims dims, Next next) {
  const int64_t count = checked_elements(dims, node.store().limits);
  node.store().budget.charge(count, source.integer ? 8 : 4);
  Constant result;
  if (source.integer) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(source.integers[static_cast<size_t>(next(i))]);
    }
    result = node.store().integers(std::move(dims), std::move(values));
  } else {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(source.floats[next(i)]);
    result = node.store().floats(std::move(dims), std::move(values));
  }
  result.type = source.type;
  return result;
}

// Rounds towards zero, as a cast does. A value that no integer can hold becomes the nearest
// integer.
int64_t truncated(float value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63F) return INT64_MAX;
  if (value < -0x1p63F) return INT64_MIN;
  return static_cast<int64_t>(value);
}

int64_t narrowed(int64_t value, DataType to) {
  switch (to) {
    case DataType::boolean:
      return value != 0 ? 1 : 0;
    case DataType::u8:
      return static_cast<uint8_t>(value);
    case DataType::i8:
      return static_cast<int8_t>(value);
    case DataType::i32:
      return static_cast<int32_t>(value);
    case DataType::i64:
    case DataType::f32:
    case DataType::f16:
    case DataType::bf16:
    case DataType::f64:
      break;
  }
  return value;
}

}  // namespace

int64_t product_between(const Dims& dims, size_t first, size_t last) {
  int64_t total = 1;
  for (size_t dim = first; dim < last; ++dim) total *= dims[dim];
  return total;
}

int64_t product_of(const Dims& dims) { return product_between(dims, 0, dims.size()); }

Dims replaced_dims(Dims dims, size_t first, size_t count, const Dims& taken) {
  const auto begin = dims.begin() + static_cast<ptrdiff_t>(first);
  const auto at = dims.erase(begin, begin + static_cast<ptrdiff_t>(count));
  dims.insert(at, taken.begin(), taken.end());
  return dims;
}

std::vector<int64_t> row_major_strides(const Dims& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t dim = dims.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * dims[dim];
  return strides;
}

Constant walked(Node& node, const Constant& constant, const Walk& walk) {
  return picked(node, constant, walk.dims, [&](int64_t i) {
    int64_t at = walk.begin;
    for (size_t dim = walk.dims.size(); dim-- > 0;) {
      at += i % walk.dims[dim] * walk.strides[dim];
      i /= walk.dims[dim];
    }
    return at;
  });
}

Constant transposed_constant(Node& node, const Constant& constant, const Dims& permutation) {
  const std::vector<int64_t> strides = row_major_strides(constant.dims);
  Walk walk;
  for (const int64_t dim : permutation) {
    walk.dims.push_back(constant.dims[static_cast<size_t>(dim)]);
    walk.strides.push_back(strides[static_cast<size_t>(dim)]);
  }
  return walked(node, constant, walk);
}

Constant gathered(Node& node, const Constant& constant, size_t dim, const Constant& indices) {
  const int64_t size = constant.dims[dim];
  const int64_t inner = product_between(constant.dims, dim + 1, constant.dims.size());
  const int64_t count = indices.count();
  Dims dims(constant.dims.begin(), constant.dims.begin() + static_cast<ptrdiff_t>(dim));
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), constant.dims.begin() + static_cast<ptrdiff_t>(dim) + 1,
              constant.dims.end());
  return picked(node, constant, dims, [&](int64_t i) {
    const int64_t outer = i / inner / count;
    const int64_t index = indices.integers[static_cast<size_t>(i / inner % count)];
    return (outer * size + (index < 0 ? index + size : index)) * inner + i % inner;
  });
}

Constant joined(Node& node, const std::vector<const Constant*>& parts, size_t dim) {
  Dims dims = parts[0]->dims;
  dims[dim] = 0;
  for (const Constant* part : parts) {
    Dims others = part->dims;
    if (part->integer != parts[0]->integer || others.size() != dims.size()) {
      node.refuse("its constant operands are of different kinds");
    }
    others[dim] = dims[dim];
    if (others != dims) node.refuse("its operands differ in a dimension that is not joined");
    dims[dim] += part->dims[dim];
  }
  const int64_t count = checked_elements(dims, node.store().limits);
  node.store().budget.charge(count, parts[0]->integer ? 8 : 4);
  std::vector<int64_t> integers;
  std::vector<float> floats;
  const int64_t outer = count == 0 ? 0 : product_between(dims, 0, dim);
  for (int64_t o = 0; o < outer; ++o) {
    for (const Constant* part : parts) {
      const int64_t run = product_between(part->dims, dim, dims.size());
      for (int64_t i = o * run; i < (o + 1) * run; ++i) {
        if (part->integer) integers.push_back(part->integers[static_cast<size_t>(i)]);
        if (!part->integer) floats.push_back(part->floats[i]);
      }
    }
  }
  if (parts[0]->integer) return node.store().integers(std::move(dims), std::move(integers));
  return node.store().floats(std::move(dims), std::move(floats));
}

namespace {

Constant converted(Node& node, const Constant& constant, DataType to) {
  node.store().budget.charge(constant.count(), 8);
  switch (to) {
    case DataType::f32:
    case DataType::f16:
    case DataType::bf16:
    case DataType::f64: {
      if (!constant.integer && !rounding_to(to)) return constant;
      std::vector<float> values;
      for (int64_t i = 0; i < constant.count(); ++i) {
        const float value = constant.integer
                                ? static_cast<float>(constant.integers[static_cast<size_t>(i)])
                                : constant.floats[i];
        values.push_back(nearest(to, value));
      }
      return node.store().floats(constant.dims, std::move(values));
    }
    case DataType::u8:
    case DataType::i8:
    case DataType::i32:
    case DataType::i64:
    case DataType::boolean: {
      std::vector<int64_t> values;
      for (int64_t i = 0; i < constant.count(); ++i) {
        const bool nonzero = constant.at(i) != 0;  // 0.5 as a boolean is true
        const int64_t whole = constant.integer ? constant.integers[static_cast<size_t>(i)]
                                               : truncated(constant.floats[i]);
        values.push_back(to == DataType::boolean ? (nonzero ? 1 : 0) : narrowed(whole, to));
      }
      return node.store().integers(constant.dims, std::move(values));
    }
  }
  node.refuse("it casts a constant to " + type_name(static_cast<int32_t>(to)) +
              ", which shingle does not read");
}

}  // namespace

Constant cast_constant(Node& node, const Constant& constant, DataType to) {
  Constant result = converted(node, constant, to);
  result.type = to;
  return result;
}

}  // namespace shingle::onnx
