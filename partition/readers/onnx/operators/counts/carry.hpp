// How counts go from the inputs of an operator to its outputs.
#pragma once

#include "partition/readers/onnx/operators/counts/follow.hpp"

namespace shingle::onnx {

Counts counts_at(Node& node, size_t input);                // none for a constant or a missing input
const Amount* count_of(const Counts& counts, size_t dim);  // null: all places of the dim count

// Adds the count of a dim. Refuses another count of the same dim. Leaves out what is known.
void add_count(Node& node, Counts& counts, size_t dim, const Amount& count);

// Refuses a counted dim of `size` that becomes `out`: a place that may not be there is repeated.
void check_broadcast(Node& node, int64_t size, int64_t out);

// A constant without elements, of which exporters cut parts off and join them again. What is taken
// from it is as empty.
bool is_empty(Node& node, size_t input);
void set_empty(Node& node, const Dims& dims);  // the output, as the first input holds numbers

// Notes the counts of an output that was made; a constant becomes a box that has them.
void set_counts(Node& node, size_t output, const Counts& counts);

// The counts after a reshape of dims to others that have as many elements. `target`: the sizes that
// the node asks for, if it lists them.
Counts reshaped_counts(Node& node, const Dims& from, const Counts& counts, const Dims& to,
                       const std::vector<Amount>& target = {});

}  // namespace shingle::onnx
