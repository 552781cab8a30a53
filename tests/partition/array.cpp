#include "tests/partition/array.hpp"

#include <cassert>
#include <numeric>

namespace shingle {

namespace {

int64_t count_of(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

float at(const Array& array, const Index& index) {
  int64_t place = 0;
  for (size_t dim = 0; dim < index.size(); ++dim) place = place * array.dims[dim] + index[dim];
  return array.values[static_cast<size_t>(place)];
}

// An array of `dims` whose element at each index is value(index).
Array filled(std::vector<int64_t> dims, const std::function<float(const Index&)>& value) {
  Array array{std::move(dims), {}};
  const int64_t count = count_of(array.dims);
  for (int64_t i = 0; i < count; ++i) {
    Index index(array.dims.size());
    int64_t rest = i;
    for (size_t dim = index.size(); dim-- > 0;) {
      index[dim] = rest % array.dims[dim];
      rest /= array.dims[dim];
    }
    array.values.push_back(value(index));
  }
  return array;
}

}  // namespace

Array counting(std::vector<int64_t> dims) {
  Array array{std::move(dims), {}};
  array.values.resize(static_cast<size_t>(count_of(array.dims)));
  std::iota(array.values.begin(), array.values.end(), 0.0F);
  return array;
}

Array reshaped(const Array& array, std::vector<int64_t> dims) {
  assert(count_of(dims) == count_of(array.dims));
  return {std::move(dims), array.values};
}

Array transposed(const Array& array, const std::vector<int64_t>& permutation) {
  std::vector<int64_t> dims;
  for (const int64_t dim : permutation) dims.push_back(array.dims[static_cast<size_t>(dim)]);
  return filled(dims, [&](const Index& index) {
    Index source(index.size());
    for (size_t dim = 0; dim < index.size(); ++dim) {
      source[static_cast<size_t>(permutation[dim])] = index[dim];
    }
    return at(array, source);
  });
}

Array taken(const Array& array, size_t dim, const std::vector<int64_t>& indices) {
  std::vector<int64_t> dims = array.dims;
  dims[dim] = static_cast<int64_t>(indices.size());
  return filled(dims, [&](Index index) {
    index[dim] = indices[static_cast<size_t>(index[dim])];
    return at(array, index);
  });
}

Array joined(const std::vector<Array>& parts, size_t dim) {
  std::vector<int64_t> dims = parts[0].dims;
  dims[dim] = 0;
  for (const Array& part : parts) dims[dim] += part.dims[dim];
  return filled(dims, [&](Index index) {
    size_t part = 0;
    while (index[dim] >= parts[part].dims[dim]) index[dim] -= parts[part++].dims[dim];
    return at(parts[part], index);
  });
}

Array combined(const Array& a, const Array& b, const std::function<float(float, float)>& op) {
  std::vector<int64_t> dims;
  for (size_t dim = 0; dim < a.dims.size(); ++dim) {
    dims.push_back(std::max(a.dims[dim], b.dims[dim]));
  }
  const auto clamped = [](const Array& array, Index index) {
    for (size_t dim = 0; dim < index.size(); ++dim) {
      if (array.dims[dim] == 1) index[dim] = 0;
    }
    return at(array, index);
  };
  return filled(dims, [&](const Index& index) { return op(clamped(a, index), clamped(b, index)); });
}

}  // namespace shingle
