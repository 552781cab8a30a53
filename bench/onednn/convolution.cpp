#include "bench/onednn/convolution.hpp"

#include <omp.h>

#include <cmath>

#include "bench/measure.hpp"
#include "bench/onednn/descriptor.hpp"

namespace shingle::bench {

namespace {

ConvolutionShape shape_of(const Convolution& op, Shape in, Shape out) {
  ConvolutionShape shape{.source = {1, in.c, in.h, in.w},
                         .weights = {out.c, in.c, op.y.kernel, op.x.kernel},
                         .bias = {out.c},
                         .target = {1, out.c, out.h, out.w},
                         .strides = {op.y.stride, op.x.stride},
                         .dilations = {op.y.dilation - 1, op.x.dilation - 1},
                         .pad_begin = {op.y.pad_begin, op.x.pad_begin},
                         .pad_end = {op.y.pad_end, op.x.pad_end}};
  if (op.groups > 1)
    shape.weights = {op.groups, out.c / op.groups, in.c / op.groups, op.y.kernel, op.x.kernel};
  return shape;
}

dnnl::memory filled(const dnnl::memory::desc& desc, const dnnl::engine& engine) {
  dnnl::memory memory(desc, engine);
  float* values = static_cast<float*>(memory.get_data_handle());
  for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i)
    values[i] = static_cast<float>(i % 255) / 255.0F;
  return memory;
}

}  // namespace

double onednn_seconds(const Model& model, const Layer& layer) {
  omp_set_num_threads(1);
  try {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const ConvolutionShape shape =
        shape_of(std::get<Convolution>(layer.op), model.at(layer.inputs[0]).shape,
                 model.at(layer.output).shape);
    const auto described_as = described(shape, engine);
    const dnnl::convolution_forward convolution(described_as);
    const std::unordered_map<int, dnnl::memory> arguments{
        {DNNL_ARG_SRC, filled(described_as.src_desc(), engine)},
        {DNNL_ARG_WEIGHTS, filled(described_as.weights_desc(), engine)},
        {DNNL_ARG_BIAS, filled(described_as.bias_desc(), engine)},
        {DNNL_ARG_DST, dnnl::memory(described_as.dst_desc(), engine)}};
    std::vector<double> times;
    for (int round = 0; round < 8; ++round)
      times.push_back(cpu_seconds([&] {
        convolution.execute(stream, arguments);
        stream.wait();
      }));
    return median(std::vector<double>(times.begin() + 1, times.end()));
  } catch (const dnnl::error&) {
    return NAN;
  }
}

}  // namespace shingle::bench
