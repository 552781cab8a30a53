#include "devices/layers/layer_runner.hpp"

#include <cassert>

namespace shingle {

std::vector<LayerPart> LayerRunner::parts(const Region& /*region*/, bool /*pool*/,
                                          int /*threads*/) const {
  assert(false && "this runner computes whole regions");
  return {};
}

void LayerRunner::run_part(const LayerRun& /*run*/, const LayerPart& /*part*/,
                           int /*thread*/) const {
  assert(false && "this runner computes whole regions");
}

}  // namespace shingle
