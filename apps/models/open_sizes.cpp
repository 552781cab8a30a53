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

}  // namespace shingle
