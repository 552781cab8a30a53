// A flat input that holds a map and indices into it, as values of a graph.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

struct IndexedDims {
  Dims map, indices;
  int64_t size = 0;  // the indices' range; 0: index i of a tuple is one of dim first + i
  int64_t first = 0;
  Dims updates{};  // a further operand
};

class Indexed {
 public:
  Indexed(networks::OnnxGraph& graph, const IndexedDims& dims, uint64_t seed = 1)
      : graph_(graph),
        values_(random_array(dims.map, seed)),
        indices_(random_array(dims.indices, seed + 1)),
        updates_(random_array(dims.updates, seed + 2)) {
    size_t place = 0;
    for (float& index : indices_.values) {
      const size_t part =
          dims.indices.empty() ? 0 : place % static_cast<size_t>(dims.indices.back());
      ranges_.push_back(dims.size > 0 ? dims.size
                                      : dims.map[static_cast<size_t>(dims.first) + part]);
      // -size to size - 1; random values are -1 to 1
      const auto size = static_cast<float>(ranges_.back());
      index = std::clamp(std::floor(index * size), -size, size - 1.0F);
      ++place;
    }
    const int64_t after_map = std::ssize(values_.values);
    const int64_t after_indices = after_map + std::ssize(indices_.values);
    map = part_of_input(graph, dims.map, 0);
    indices = part_of_input(graph, dims.indices, after_map);
    if (!dims.updates.empty()) updates = part_of_input(graph, dims.updates, after_indices);
  }

  std::string map, indices, updates;

  // From the map's beginning.
  int64_t index(const Dims& at) const {
    const auto found = static_cast<int64_t>(indices_.at(at));
    if (found >= 0) return found;
    int64_t place = 0;
    for (size_t dim = 0; dim < at.size(); ++dim) place = place * indices_.dims[dim] + at[dim];
    return found + ranges_[static_cast<size_t>(place)];
  }
  double element(const Dims& at) const { return values_.at(at); }
  const Array& all_updates() const { return updates_; }
  const Array& all_elements() const { return values_; }

  Array run(const std::string& last, int64_t opset = 13) {
    Array input{{}, values_.values};
    for (const Array* part : {&indices_, &updates_})
      if (part != &updates_ || !updates.empty())
        input.values.insert(input.values.end(), part->values.begin(), part->values.end());
    input.dims = {std::ssize(input.values)};
    return run_onnx(graph_, last, input, opset);
  }

 private:
  networks::OnnxGraph& graph_;
  Array values_, indices_, updates_;
  std::vector<int64_t> ranges_;
};

}  // namespace shingle::tests
