// Which steps our own kernels compute together with a convolution.
#pragma once

#include "devices/layers/native_layer.hpp"
#include "devices/pass/fuse_steps.hpp"

namespace shingle {

// `natively`: which steps run on our kernels. The model must outlive the rules.
inline FusionRules native_fusion(const Model& model, std::function<bool(const Step&)> natively) {
  return {.takes_pool =
              [&model, natively](const Step& step) {
                return natively(step) && pools_natively(model, model.at(step.layer));
              },
          .takes_addition =
              [&model, natively](const Step& step, const Activation& after) {
                return kernels::supported(after) && natively(step) &&
                       adds_natively(model.at(step.layer));
              }};
}

}  // namespace shingle
