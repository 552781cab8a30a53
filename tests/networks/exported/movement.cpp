// What moves and cuts values, as exporters write it.
#include <algorithm>
#include <cassert>

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

namespace {

size_t place(const Value& x, int64_t axis) {
  return static_cast<size_t>(axis < 0 ? axis + std::ssize(x.dims) : axis);
}

}  // namespace

Value reduce(Exporter& to, std::string_view op, const Value& x, const Dims& axes, bool keep) {
  Dims dims = x.dims;
  for (const int64_t axis : axes) dims[place(x, axis)] = keep ? 1 : 0;
  std::erase(dims, 0);
  const int64_t keepdims = keep ? 1 : 0;
  if (to.opset() >= 18) return to.node(op, {x, to.integers(axes)}, {{"keepdims", keepdims}}, dims);
  return to.node(op, {x}, {{"axes", axes}, {"keepdims", keepdims}}, dims);
}

Value mean(Exporter& to, const Value& x, const Dims& axes, bool keep) {
  return reduce(to, "ReduceMean", x, axes, keep);
}

Value reshape(Exporter& to, const Value& x, Dims dims) {
  const Value wanted = to.integers(dims);
  const auto open = std::find(dims.begin(), dims.end(), -1);
  if (open != dims.end()) *open = elements(x.dims) / -elements(dims);
  assert(elements(dims) == elements(x.dims));
  return to.node("Reshape", {x, wanted}, {}, dims);
}

Value flatten(Exporter& to, const Value& x) {
  return to.node("Flatten", {x}, {{"axis", int64_t{1}}}, {x.dims[0], elements(x.dims) / x.dims[0]});
}

Value transpose(Exporter& to, const Value& x, const Dims& order) {
  Dims dims;
  for (const int64_t axis : order) dims.push_back(x.dims[place(x, axis)]);
  return to.node("Transpose", {x}, {{"perm", order}}, dims);
}

Value concat(Exporter& to, const std::vector<Value>& parts, int64_t axis) {
  Dims dims = parts[0].dims;
  const size_t along = place(parts[0], axis);
  for (size_t i = 1; i < parts.size(); ++i) dims[along] += parts[i].dims[along];
  return to.node("Concat", parts, {{"axis", axis}}, dims);
}

std::vector<Value> split(Exporter& to, const Value& x, int64_t axis, const Dims& sizes) {
  std::vector<Dims> parts(sizes.size(), x.dims);
  for (size_t i = 0; i < sizes.size(); ++i) parts[i][place(x, axis)] = sizes[i];
  const bool equal = std::count(sizes.begin(), sizes.end(), sizes[0]) == std::ssize(sizes);
  if (to.opset() >= 18 && equal)
    return to.nodes("Split", {x}, {{"axis", axis}, {"num_outputs", std::ssize(sizes)}}, parts);
  return to.nodes("Split", {x, to.integers(sizes)}, {{"axis", axis}}, parts);
}

Value slice(Exporter& to, const Value& x, int64_t axis, int64_t begin, int64_t end) {
  Dims dims = x.dims;
  dims[place(x, axis)] = end - begin;
  return to.node(
      "Slice", {x, to.integers({begin}), to.integers({end}), to.integers({axis}), to.integers({1})},
      {}, dims);
}

Value at_index(Exporter& to, const Value& x, int64_t axis, int64_t index) {
  Dims dims = x.dims;
  dims.erase(dims.begin() + axis);
  return to.node("Gather", {x, to.integer(index)}, {{"axis", axis}}, dims);
}

}  // namespace shingle::networks
