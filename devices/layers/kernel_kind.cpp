#include "devices/layers/kernel_kind.hpp"

#include <array>

#include "devices/layers/native_layer.hpp"
#include "devices/layers/recurrent_runner.hpp"
#include "devices/xnnpack/xnn_layer.hpp"

namespace shingle {

KernelKind kernel_kind(const Model& model, const Layer& layer, Algorithm algorithm) {
  if (std::holds_alternative<MatrixProduct>(layer.op)) return KernelKind::product;
  if (recurs_natively(layer)) return KernelKind::recurrent;
  const Span channels{0, model.at(layer.output).shape.c};
  if (runs_natively(model, layer, algorithm, channels)) {
    if (algorithm == Algorithm::winograd4) return KernelKind::winograd;
    return is_depthwise(model, layer) ? KernelKind::depthwise : KernelKind::direct;
  }
  return runs_on_xnnpack(model, layer) ? KernelKind::xnnpack : KernelKind::plain;
}

const char* name_of(KernelKind kind) {
  static constexpr std::array names{"own, Winograd", "own, direct",    "own, depthwise",
                                    "own, product",  "own, recurrent", "XNNPACK",
                                    "plain loops"};
  return names[static_cast<size_t>(kind)];
}

std::string why_slow(const Model& model, const Layer& layer, KernelKind kind) {
  const auto* op = std::get_if<Convolution>(&layer.op);
  if (kind == KernelKind::plain && std::holds_alternative<Recurrence>(layer.op))
    return "there is no fast kernel for its functions";
  if (kind == KernelKind::plain)
    return weighted_window(layer) ? "there is no fast kernel for its groups or its window" : "";
  if (kind != KernelKind::xnnpack || op == nullptr) return "";
  if (op->groups > 1)
    return "its groups have " + std::to_string(model.at(layer.output).shape.c / op->groups) +
           " output channels, too few to fill a register";
  return "its window of " + std::to_string(op->y.kernel) + "x" + std::to_string(op->x.kernel) +
         " is larger than our kernels take";
}

}  // namespace shingle
