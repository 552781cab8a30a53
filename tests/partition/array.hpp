// Array: a row-major tensor of any rank with a few operators, each written as a simple loop over
// indices. It is the oracle for the reader's views.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace shingle {

struct Array {
  std::vector<int64_t> dims;
  std::vector<float> values;
};

using Index = std::vector<int64_t>;

Array counting(std::vector<int64_t> dims);  // 0, 1, 2, ...
Array reshaped(const Array& array, std::vector<int64_t> dims);
Array transposed(const Array& array, const std::vector<int64_t>& permutation);
Array taken(const Array& array, size_t dim, const std::vector<int64_t>& indices);
Array joined(const std::vector<Array>& parts, size_t dim);

// Broadcast as in numpy; equal ranks.
Array combined(const Array& a, const Array& b, const std::function<float(float, float)>& op);

}  // namespace shingle
