#include "bench/onednn/descriptor.hpp"

namespace shingle::bench {

dnnl::convolution_forward::primitive_desc described(const ConvolutionShape& shape,
                                                    const dnnl::engine& engine) {
  const auto any = [](const dnnl::memory::dims& dims) {
    return dnnl::memory::desc(dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
  };
  return {engine,
          dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_auto,
          any(shape.source),
          any(shape.weights),
          any(shape.bias),
          any(shape.target),
          shape.strides,
          shape.dilations,
          shape.pad_begin,
          shape.pad_end};
}

}  // namespace shingle::bench
