#include <xnnpack.h>

#include "devices/xnn_operators.hpp"

namespace shingle {

static_assert(xnnpack_extra_bytes == XNN_EXTRA_BYTES);

namespace {

uint32_t u(int32_t value) { return static_cast<uint32_t>(value); }
size_t s(int32_t value) { return static_cast<size_t>(value); }

Error refused(const char* what, int status) {
  return Error{std::string("XNNPACK refuses to ") + what + " (status " + std::to_string(status) +
               ")"};
}

}  // namespace

void XnnOperator::Deleter::operator()(xnn_operator* handle) const { xnn_delete_operator(handle); }

Result<XnnOperator> XnnOperator::made(Kind kind, int status, xnn_operator* handle) {
  if (status != xnn_status_success) return refused("create the operator", status);
  return XnnOperator(kind, handle);
}

Result<XnnOperator> XnnOperator::convolution(const XnnConvolutionShape& shape, const float* weights,
                                             const float* bias) {
  xnn_operator_t handle = nullptr;
  const xnn_status status = xnn_create_convolution2d_nhwc_f32(
      0, 0, 0, 0, u(shape.y.kernel), u(shape.x.kernel), u(shape.y.stride), u(shape.x.stride),
      u(shape.y.dilation), u(shape.x.dilation), u(shape.groups), s(shape.group_inputs),
      s(shape.group_outputs), s(shape.groups) * s(shape.group_inputs),
      s(shape.groups) * s(shape.group_outputs), weights, bias, shape.range.minimum,
      shape.range.maximum, 0, &handle);
  return made(Kind::convolution, status, handle);
}

Result<XnnOperator> XnnOperator::pooling(const Pooling& op, int32_t channels) {
  const ValueRange all;
  xnn_operator_t handle = nullptr;
  if (op.kind == Pooling::Kind::average) {
    const xnn_status status = xnn_create_average_pooling2d_nhwc_f32(
        0, 0, 0, 0, u(op.y.kernel), u(op.x.kernel), u(op.y.stride), u(op.x.stride), s(channels),
        s(channels), s(channels), all.minimum, all.maximum, 0, &handle);
    return made(Kind::average_pooling, status, handle);
  }
  const xnn_status status = xnn_create_max_pooling2d_nhwc_f32(
      0, 0, 0, 0, u(op.y.kernel), u(op.x.kernel), u(op.y.stride), u(op.x.stride), u(op.y.dilation),
      u(op.x.dilation), s(channels), s(channels), s(channels), all.minimum, all.maximum, 0,
      &handle);
  return made(Kind::max_pooling, status, handle);
}

Status XnnOperator::run(const XnnRun& run) {
  const size_t height = s(run.height), width = s(run.width);
  xnn_status status = xnn_status_success;
  switch (kind_) {
    case Kind::convolution:
      status = xnn_setup_convolution2d_nhwc_f32(handle_.get(), 1, height, width, run.in, run.out,
                                                run.pool);
      break;
    case Kind::max_pooling:
      status = xnn_setup_max_pooling2d_nhwc_f32(handle_.get(), 1, height, width, run.in, run.out,
                                                run.pool);
      break;
    case Kind::average_pooling:
      status = xnn_setup_average_pooling2d_nhwc_f32(handle_.get(), 1, height, width, run.in,
                                                    run.out, run.pool);
      break;
  }
  if (status == xnn_status_success) status = xnn_run_operator(handle_.get(), run.pool);
  if (status != xnn_status_success) return refused("run the operator", status);
  return success();
}

}  // namespace shingle
