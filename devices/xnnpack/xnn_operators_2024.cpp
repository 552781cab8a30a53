// XNNPACK of 2024: reshape fits an operator to a size and to a pool, setup gives it addresses. Sums
// that it keeps between passes lie in memory of ours.
#include "devices/xnnpack/xnn_calls.hpp"
#include "devices/xnnpack/xnn_memory.hpp"

namespace shingle {

namespace {

// What an operator was last fitted to.
struct Fit {
  int32_t height = 0, width = 0;
  pthreadpool* pool = nullptr;
  friend bool operator==(const Fit&, const Fit&) = default;
};

}  // namespace

struct XnnOperator::Made {
  xnn_status reshape(const Fit& wanted);
  xnn_status setup(const float* in, float* out) const;

  XnnKind kind;
  XnnHandle handle;
  int32_t channels = 0;  // of a pooling
  Fit fit{};
  XnnWorkspace workspace{};
};

XnnOperator::XnnOperator(Made made) : made_(std::make_unique<Made>(std::move(made))) {}
XnnOperator::XnnOperator(XnnOperator&&) noexcept = default;
XnnOperator::~XnnOperator() = default;

// An operator that refuses a size is fitted to none.
xnn_status XnnOperator::Made::reshape(const Fit& wanted) {
  fit = {};
  const size_t height = s(wanted.height), width = s(wanted.width), c = s(channels);
  size_t bytes = 0, alignment = 1, out_height = 0, out_width = 0;
  xnn_status status = xnn_status_success;
  switch (kind) {
    case XnnKind::convolution:
      status = xnn_reshape_convolution2d_nhwc_f32(handle.get(), 1, height, width, &bytes,
                                                  &alignment, &out_height, &out_width, wanted.pool);
      break;
    case XnnKind::max_pooling:
      status = xnn_reshape_max_pooling2d_nhwc_f32(handle.get(), 1, height, width, c, c, c,
                                                  &out_height, &out_width, wanted.pool);
      break;
    case XnnKind::average_pooling:
      status =
          xnn_reshape_average_pooling2d_nhwc_f32(handle.get(), 1, height, width, c, c, c, &bytes,
                                                 &alignment, &out_height, &out_width, wanted.pool);
      break;
  }
  if (status != xnn_status_success) return status;
  if (!workspace.reserve(bytes, alignment)) return xnn_status_out_of_memory;
  fit = wanted;
  return xnn_status_success;
}

xnn_status XnnOperator::Made::setup(const float* in, float* out) const {
  switch (kind) {
    case XnnKind::convolution:
      return xnn_setup_convolution2d_nhwc_f32(handle.get(), workspace.data(), in, out);
    case XnnKind::max_pooling:
      return xnn_setup_max_pooling2d_nhwc_f32(handle.get(), in, out);
    case XnnKind::average_pooling:
      return xnn_setup_average_pooling2d_nhwc_f32(handle.get(), workspace.data(), in, out);
  }
  return xnn_status_invalid_state;
}

Result<XnnOperator> XnnOperator::convolution(const XnnConvolutionShape& shape, const float* weights,
                                             const float* bias) {
  xnn_operator_t handle = nullptr;
  const xnn_status status = create_convolution(xnn_create_convolution2d_nhwc_f32, shape, weights,
                                               bias, nullptr, nullptr, &handle);
  if (status != xnn_status_success) return xnn_refused("create the operator", status);
  return XnnOperator(Made{.kind = XnnKind::convolution, .handle = XnnHandle(handle)});
}

Result<XnnOperator> XnnOperator::pooling(const Pooling& op, int32_t channels) {
  const ValueRange all;
  const bool average = op.kind == Pooling::Kind::average;
  xnn_operator_t handle = nullptr;
  const xnn_status status =
      average ? xnn_create_average_pooling2d_nhwc_f32(0, 0, 0, 0, u(op.y.kernel), u(op.x.kernel),
                                                      u(op.y.stride), u(op.x.stride), all.minimum,
                                                      all.maximum, 0, &handle)
              : xnn_create_max_pooling2d_nhwc_f32(
                    0, 0, 0, 0, u(op.y.kernel), u(op.x.kernel), u(op.y.stride), u(op.x.stride),
                    u(op.y.dilation), u(op.x.dilation), all.minimum, all.maximum, 0, &handle);
  if (status != xnn_status_success) return xnn_refused("create the operator", status);
  return XnnOperator(Made{.kind = average ? XnnKind::average_pooling : XnnKind::max_pooling,
                          .handle = XnnHandle(handle),
                          .channels = channels});
}

Status XnnOperator::run(const XnnRun& run) {
  const Fit wanted{run.height, run.width, run.pool};
  xnn_status status = made_->fit == wanted ? xnn_status_success : made_->reshape(wanted);
  if (status == xnn_status_success) status = made_->setup(run.in, run.out);
  if (status == xnn_status_success) status = xnn_run_operator(made_->handle.get(), run.pool);
  if (status != xnn_status_success) return xnn_refused("run the operator", status);
  return success();
}

}  // namespace shingle
