// Array: a row-major tensor of any rank with the handful of operators that the reader's views stand
// for, each written as the plainest loop over indices. The oracle for views.
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
