// Model outputs: reads the box of a tensor in its file's element order.
#include <cassert>

#include "partition/model/digits.hpp"
#include "partition/model/model.hpp"

namespace shingle {

void add_output(Model& model, std::string name, TensorId tensor) {
  const Shape shape = model.at(tensor).shape;
  model.outputs.push_back({.name = std::move(name),
                           .tensor = tensor,
                           .dims = {1, shape.c, shape.h, shape.w},
                           .factors = {shape.h, shape.w, shape.c},
                           .box_axes = {{{0}, {1}, {2}}},
                           .dim_axes = {{}, {2}, {0}, {1}}});
}

namespace {

// One digit of an index in the file: its radix, and how far one step moves in the box's memory.
struct FileDigit {
  int32_t radix = 1;
  int64_t stride = 0;
  int32_t value = 0;
};

std::vector<FileDigit> file_digits(const ModelOutput& output, Shape shape) {
  std::vector<int64_t> strides = strides_in_axis(output.factors, output.box_axes);
  const std::array<int64_t, 3> box_strides{int64_t{shape.w} * shape.c, shape.c, 1};
  for (size_t axis = 0; axis < 3; ++axis) {
    for (int32_t factor : output.box_axes[axis]) {
      strides[static_cast<size_t>(factor)] *= box_strides[axis];
    }
  }
  std::vector<FileDigit> digits;
  for (const std::vector<int32_t>& dim : output.dim_axes) {
    for (int32_t factor : dim) {
      const auto index = static_cast<size_t>(factor);
      digits.push_back({.radix = output.factors[index], .stride = strides[index], .value = 0});
    }
  }
  return digits;
}

}  // namespace

std::vector<float> in_file_order(const ModelOutput& output, Shape shape,
                                 std::span<const float> box) {
  assert(static_cast<int64_t>(box.size()) == shape.elements());
  std::vector<FileDigit> digits = file_digits(output, shape);
  std::vector<float> ordered(box.size());
  int64_t source = 0;
  for (float& element : ordered) {
    element = box[static_cast<size_t>(source)];
    // Counts up by one; the last digit changes fastest.
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      source += digit->stride;
      if (++digit->value < digit->radix) break;
      source -= digit->stride * digit->radix;
      digit->value = 0;
    }
  }
  return ordered;
}

namespace {

int64_t product(const std::vector<int64_t>& dims, size_t first) {
  int64_t total = 1;
  for (size_t dim = first; dim < dims.size(); ++dim) total *= dims[dim];
  return total;
}

// Keeps the first `count` places of a dim.
void cut(OutputValue& value, size_t dim, int64_t count) {
  const int64_t inner = product(value.dims, dim + 1), run = value.dims[dim] * inner;
  const auto kept = static_cast<ptrdiff_t>(count * inner);
  std::vector<float> values;
  for (auto from = value.values.begin(); from != value.values.end(); from += run)
    values.insert(values.end(), from, from + kept);
  value.values = std::move(values);
  value.dims[dim] = count;
}

}  // namespace

std::vector<OutputValue> cut_to_counts(const Model& model,
                                       std::span<const std::vector<float>> in_file_order) {
  std::vector<OutputValue> result;
  for (size_t i = 0; i < in_file_order.size(); ++i) {
    const ModelOutput& output = model.outputs[i];
    OutputValue& value = result.emplace_back(OutputValue{output.dims, in_file_order[i]});
    for (const ModelOutput::Counted& counted : output.counted) {
      const float count = in_file_order[counted.output][0];
      const bool fits = count >= 0.0F && count < static_cast<float>(value.dims[counted.dim]);
      if (fits && !value.values.empty()) cut(value, counted.dim, static_cast<int64_t>(count));
    }
  }
  return result;
}

}  // namespace shingle
