#include "devices/layers/plain_runner.hpp"

#include <cassert>

#include "devices/executor/bands.hpp"
#include "devices/plain/elementwise.hpp"

namespace shingle {

PlainRunner::PlainRunner(const Model& model, LayerId layer,
                         std::shared_ptr<const PlainConstants> constants)
    : model_(model), layer_(layer), constants_(std::move(constants)) {
  assert(constants_ != nullptr);
}

WorkNeeds PlainRunner::needs(const Region& /*region*/, bool pool, int /*threads*/) const {
  assert(!pool);
  return {.inputs = model_.at(layer_).inputs.size()};
}

Status PlainRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  std::vector<ConstTensorView>& inputs = run.work.inputs;
  inputs.clear();
  for (size_t i = 0; i < run.inputs.size(); ++i) inputs.push_back(run.input(i).map);
  const Layer& layer = model_.at(layer_);
  const Bands bands(run.region, run.pool_of_threads.threads());
  const bool takes_exp = std::holds_alternative<Softmax>(layer.op);
  const int each =
      cost_of(layer.activation) + (takes_exp ? cost_of({.kind = Activation::Kind::exp}) : 0);
  const int64_t operations = run.region.elements() * each + macs(model_, layer_, run.region);
  run.pool_of_threads.for_each(bands.count(), operations, [&](int band, int) {
    run_plain({.model = model_,
               .layer = layer,
               .constants = *constants_,
               .inputs = inputs,
               .output = run.output.map,
               .region = bands[band]});
  });
  return success();
}

}  // namespace shingle
