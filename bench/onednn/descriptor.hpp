// What oneDNN 2 (Debian 12) and 3 (Debian 13) say differently.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace shingle::bench {

struct ConvolutionShape {
  dnnl::memory::dims source, weights, bias, target;  // n c h w; o i y x, with groups g o i y x
  dnnl::memory::dims strides, dilations, pad_begin, pad_end;  // y x; a dilation of 0 is none
};

dnnl::convolution_forward::primitive_desc described(const ConvolutionShape& shape,
                                                    const dnnl::engine& engine);

}  // namespace shingle::bench
