// What picks some of many by their scores, as exporters write it.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

Value max_of(Exporter& to, const Value& x, int64_t axis);  // the axis goes
Value unsqueeze(Exporter& to, const Value& x, int64_t axis);
Value tile(Exporter& to, const Value& x, const Dims& repeats);

// The `count` largest of the last axis, best first, and where they stood.
struct TopK {
  Value values, indices;
};
TopK top_k(Exporter& to, const Value& x, int64_t count);

// Of x, [1, n, columns], the rows that `indices`, [1, rows, 1], lists: torch.gather of the indices,
// repeated for each column.
Value gather_rows(Exporter& to, const Value& x, const Value& indices);

}  // namespace shingle::networks
