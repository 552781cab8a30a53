#include "partition/model/digits.hpp"

#include <algorithm>

namespace shingle {

std::optional<int64_t> product(const std::vector<int32_t>& factors,
                               const std::vector<int32_t>& indices) {
  int64_t total = 1;
  for (int32_t index : indices) {
    if (index < 0 || static_cast<size_t>(index) >= factors.size()) return std::nullopt;
    const int32_t factor = factors[static_cast<size_t>(index)];
    if (factor < 1) return std::nullopt;
    total *= factor;  // at most 2^31 * 2^31 before the check
    if (total > int64_t{1} << 31) return std::nullopt;
  }
  return total;
}

bool each_factor_once(const std::vector<int32_t>& factors, const BoxAxes& axes) {
  std::vector<int32_t> times(factors.size(), 0);
  for (const std::vector<int32_t>& axis : axes) {
    for (int32_t index : axis) {
      if (index < 0 || static_cast<size_t>(index) >= factors.size()) return false;
      ++times[static_cast<size_t>(index)];
    }
  }
  return std::all_of(times.begin(), times.end(), [](int32_t count) { return count == 1; });
}

std::vector<int64_t> strides_in_axis(const std::vector<int32_t>& factors, const BoxAxes& axes) {
  std::vector<int64_t> strides(factors.size(), 0);
  for (const std::vector<int32_t>& axis : axes) {
    int64_t stride = 1;
    for (auto index = axis.rbegin(); index != axis.rend(); ++index) {
      strides[static_cast<size_t>(*index)] = stride;
      stride *= factors[static_cast<size_t>(*index)];
    }
  }
  return strides;
}

}  // namespace shingle
