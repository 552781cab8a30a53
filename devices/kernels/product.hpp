// The product of two values on the direct kernel: the second operand, a map, is packed into panels
// (panel.hpp) as if it were the weights of a 1x1 convolution in groups. Then rows of the first
// operand are convolved with it.
//
// Each output is zero, then one fused multiply-add for each index of the depth, in order.
#pragma once

#include "devices/kernels/panel.hpp"
#include "devices/kernels/rows.hpp"

namespace shingle::kernels {

// The second operand: columns `columns` of `stack` matrices of `depth` rows.
struct ProductOperand {
  InputRows map;
  int32_t width = 1;    // pixels of a row of the map, stored or not: pixels count row by row
  int32_t channel = 0;  // the first that is packed, from where row pointers point to
  // A pixel is a column, channels are [stack][depth]; else a pixel is an index of the depth, and
  // channels are [stack][column].
  bool turned = false;
  int32_t stack = 1, depth = 1;
  int32_t step = 0;  // channels from a matrix to the next one
  Span columns;      // not empty; of a matrix
};

FilterShape product_filter(const ProductOperand& operand);

int32_t product_panels(const ProductOperand& operand);

// Packs panel `panel`, counted through the stack, to its place in `packed`. Threads may pack
// different panels. REQUIRES: packed holds packed_floats(product_filter(operand)).
void pack_product(const ProductOperand& operand, int32_t panel, float* packed);

}  // namespace shingle::kernels
