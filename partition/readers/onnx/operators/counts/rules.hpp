// What each operator does with values of which a size depends on the input: it masks what it must
// not see, is translated, and passes the counts on. Each rule translates the node itself.
#pragma once

#include "partition/readers/onnx/operators/counts/follow.hpp"

namespace shingle::onnx {

using Rule = void (*)(Node& node, Translation translate);

// carried.cpp: the counts stay with their dims
void carry_elements(Node& node, Translation translate);  // element by element, with broadcasting
void carry_reshape(Node& node, Translation translate);
void carry_unsqueeze(Node& node, Translation translate);
void carry_transpose(Node& node, Translation translate);
void carry_concat(Node& node, Translation translate);
void carry_split(Node& node, Translation translate);
void carry_gather(Node& node, Translation translate);
void carry_compress(Node& node, Translation translate);
void carry_rows(Node& node, Translation translate);  // MatMul, Gemm

// indexed.cpp: elements at indices
void carry_indices(Node& node, Translation translate);  // GatherElements
void carry_tuples(Node& node, Translation translate);   // GatherND
void mask_indices(Node& node, Translation translate);   // Scatter, ScatterElements, ScatterND
void mask_order(Node& node, Translation translate);     // TopK

// reduced.cpp: what stands behind a count is masked
void mask_reduced(Node& node, Translation translate);
void mask_arg(Node& node, Translation translate);  // ArgMax, ArgMin
void mask_softmax(Node& node, Translation translate);
void mask_sum(Node& node, Translation translate);     // CumSum
void mask_scores(Node& node, Translation translate);  // NonMaxSuppression
void mask_zeros(Node& node, Translation translate);   // NonZero

// sized.cpp: sizes that the node gets from a list
void size_slice(Node& node, Translation translate);
void size_pad(Node& node, Translation translate);
void size_expand(Node& node, Translation translate);
void size_constant(Node& node, Translation translate);  // ConstantOfShape
void size_range(Node& node, Translation translate);
void size_tile(Node& node, Translation translate);

}  // namespace shingle::onnx
