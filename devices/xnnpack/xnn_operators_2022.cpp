// XNNPACK of 2022: setup takes the size of the input and its address together.
#include "devices/xnnpack/xnn_calls.hpp"

namespace shingle {

struct XnnOperator::Made {
  XnnKind kind;
  XnnHandle handle;
};

XnnOperator::XnnOperator(Made made) : made_(std::make_unique<Made>(std::move(made))) {}
XnnOperator::XnnOperator(XnnOperator&&) noexcept = default;
XnnOperator::~XnnOperator() = default;

Result<XnnOperator> XnnOperator::convolution(const XnnConvolutionShape& shape, const float* weights,
                                             const float* bias) {
  xnn_operator_t handle = nullptr;
  const xnn_status status =
      create_convolution(xnn_create_convolution2d_nhwc_f32, shape, weights, bias, &handle);
  if (status != xnn_status_success) return xnn_refused("create the operator", status);
  return XnnOperator(Made{XnnKind::convolution, XnnHandle(handle)});
}

Result<XnnOperator> XnnOperator::pooling(const Pooling& op, int32_t channels) {
  const ValueRange all;
  const bool average = op.kind == Pooling::Kind::average;
  xnn_operator_t handle = nullptr;
  const xnn_status status =
      average ? xnn_create_average_pooling2d_nhwc_f32(
                    0, 0, 0, 0, u(op.y.kernel), u(op.x.kernel), u(op.y.stride), u(op.x.stride),
                    s(channels), s(channels), s(channels), all.minimum, all.maximum, 0, &handle)
              : xnn_create_max_pooling2d_nhwc_f32(
                    0, 0, 0, 0, u(op.y.kernel), u(op.x.kernel), u(op.y.stride), u(op.x.stride),
                    u(op.y.dilation), u(op.x.dilation), s(channels), s(channels), s(channels),
                    all.minimum, all.maximum, 0, &handle);
  if (status != xnn_status_success) return xnn_refused("create the operator", status);
  const XnnKind kind = average ? XnnKind::average_pooling : XnnKind::max_pooling;
  return XnnOperator(Made{kind, XnnHandle(handle)});
}

Status XnnOperator::run(const XnnRun& run) {
  const xnn_operator_t handle = made_->handle.get();
  const size_t height = s(run.height), width = s(run.width);
  xnn_status status = xnn_status_success;
  switch (made_->kind) {
    case XnnKind::convolution:
      status =
          xnn_setup_convolution2d_nhwc_f32(handle, 1, height, width, run.in, run.out, run.pool);
      break;
    case XnnKind::max_pooling:
      status =
          xnn_setup_max_pooling2d_nhwc_f32(handle, 1, height, width, run.in, run.out, run.pool);
      break;
    case XnnKind::average_pooling:
      status =
          xnn_setup_average_pooling2d_nhwc_f32(handle, 1, height, width, run.in, run.out, run.pool);
      break;
  }
  if (status == xnn_status_success) status = xnn_run_operator(handle, run.pool);
  if (status != xnn_status_success) return xnn_refused("run the operator", status);
  return success();
}

}  // namespace shingle
