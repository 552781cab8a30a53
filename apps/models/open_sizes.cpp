#include "apps/models/open_sizes.hpp"

#include <algorithm>

namespace shingle {

bool leaves_sizes_open(const std::vector<OnnxInput>& inputs) {
  return std::ranges::any_of(inputs, [](const OnnxInput& input) {
    for (size_t i = 1; i < input.dims.size(); ++i)
      if (input.dims[i].size == 0) return true;
    return false;
  });
}

bool has_channels_last(const OnnxInput& input) {
  const auto size = [&](size_t dim) { return input.dims[dim].size; };
  const auto is_channels = [](int64_t c) { return c == 1 || c == 3 || c == 4; };
  return input.dims.size() == 4 && is_channels(size(3)) && !is_channels(size(1)) &&
         (size(1) == 0 || size(1) > 4);
}

}  // namespace shingle
