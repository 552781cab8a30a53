#include "tests/kernels/xnnpack_peer.hpp"

#include <xnnpack.h>

#include <limits>

namespace shingle::kernels {

bool xnnpack_convolution(const Layer& l, const Map& input, const Map& output) {
  if (xnn_initialize(nullptr) != xnn_status_success) return false;
  const FilterShape& f = l.filter;
  // theirs: [output channel][ky][kx][input channel]; depthwise counts as groups of one channel
  std::vector<float> weights;
  for (int32_t o = 0; o < f.outputs; ++o)
    for (int32_t t = 0; t < f.kernel_y * f.kernel_x; ++t)
      for (int32_t k = 0; k < f.inputs; ++k)
        weights.push_back(
            l.weights[static_cast<std::size_t>((o * f.inputs + k) * f.kernel_y * f.kernel_x + t)]);
  const auto u = [](int32_t v) { return static_cast<uint32_t>(v); };
  const auto z = [](int32_t v) { return static_cast<std::size_t>(v); };
  xnn_operator_t op = nullptr;
  if (xnn_create_convolution2d_nhwc_f32(
          u(l.y.pad_begin), u(l.x.pad_end), u(l.y.pad_end), u(l.x.pad_begin), u(f.kernel_y),
          u(f.kernel_x), u(l.y.stride), u(l.x.stride), u(l.y.dilation), u(l.x.dilation),
          u(f.groups), z(f.inputs), z(f.outputs / f.groups), z(f.inputs * f.groups), z(f.outputs),
          weights.data(), l.bias.data(), -std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::infinity(), 0, &op) != xnn_status_success)
    return false;
  std::vector<float> padded(input.data);
  padded.resize(padded.size() + XNN_EXTRA_BYTES);
  const bool done = xnn_setup_convolution2d_nhwc_f32(op, 1, z(input.rows.end), z(input.columns.end),
                                                     padded.data(), output.row[0],
                                                     nullptr) == xnn_status_success &&
                    xnn_run_operator(op, nullptr) == xnn_status_success;
  xnn_delete_operator(op);
  return done;
}

}  // namespace shingle::kernels
