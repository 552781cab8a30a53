#include "devices/native/processor.hpp"

#include "devices/kernels/panel.hpp"

namespace shingle {

std::optional<std::string> processor_warning() {
  if (kernels::fuses_multiply_add()) return std::nullopt;
  return std::string("this processor (kernels for ") + kernels::target_name() +
         ") has no fused multiply-add: it computes more slowly, and its results have other bits " +
         "than those of processors that have";
}

}  // namespace shingle
