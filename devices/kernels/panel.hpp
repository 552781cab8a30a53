// Panels: convolution weights in the order in which the kernels read them.
//
//   output channels:  | panel 0: NR channels | panel 1 | ... | last: as many vectors as it needs |
//   one panel:        bias[w], then for each tap (ky, kx), for each input channel: weight[w]
//
// w is the panel's width: whole vectors, at most `panel_channels()`; the last vector is padded with
// zeros. With groups, the panels of group 0 come first. Only the width depends on the instruction
// set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shingle::kernels {

// A convolution's filter: [output channels][input channels of a group][kernel y][kernel x].
struct FilterShape {
  int32_t outputs = 0, inputs = 0;  // of all groups; of one group
  int32_t kernel_y = 1, kernel_x = 1, groups = 1;
};

int32_t vector_floats();    // of the instruction set in use
int32_t panel_channels();   // NR
const char* target_name();  // "AVX3", "AVX2", "NEON"...

// Does the instruction set in use have fused multiply-adds? All sets with them give the same bits;
// sets without give other bits.
bool fuses_multiply_add();

std::size_t packed_floats(const FilterShape& shape);

// REQUIRES: packed holds packed_floats(shape); bias is empty (zeros) or holds the output channels.
void pack(const FilterShape& shape, const float* weights, std::span<const float> bias,
          float* packed);

}  // namespace shingle::kernels
