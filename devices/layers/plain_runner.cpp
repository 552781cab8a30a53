#include "devices/layers/plain_runner.hpp"

#include <algorithm>
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
  const auto floats = static_cast<size_t>(plain_scratch_floats(model_.at(layer_)));
  return {.thread = {.bytes = static_cast<int64_t>(bytes_of_floats(floats))},
          .inputs = model_.at(layer_).inputs.size()};
}

Status PlainRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  std::vector<ConstTensorView>& inputs = run.work.inputs;
  inputs.clear();
  for (size_t i = 0; i < run.inputs.size(); ++i) inputs.push_back(run.input(i).map);
  const Layer& layer = model_.at(layer_);
  // A band of later steps of a sequence would compute the earlier ones again.
  const bool by_sequence = std::holds_alternative<Recurrence>(layer.op);
  const int threads = run.pool_of_threads.threads();
  const Bands bands(run.region, by_sequence ? std::min(threads, run.region.y.size()) : threads);
  const bool takes_exp = std::holds_alternative<Softmax>(layer.op);
  const int each =
      cost_of(layer.activation) + (takes_exp ? cost_of({.kind = Activation::Kind::exp}) : 0);
  const int64_t operations = run.region.elements() * each + macs(model_, layer_, run.region);
  run.pool_of_threads.for_each(bands.count(), operations, [&](int band, int thread) {
    const AlignedBuffer& scratch = run.work.threads[static_cast<size_t>(thread)]->floats;
    run_plain({.model = model_,
               .layer = layer,
               .constants = *constants_,
               .inputs = inputs,
               .output = run.output.map,
               .region = bands[band],
               .scratch = {reinterpret_cast<float*>(scratch.data()),
                           static_cast<size_t>(scratch.bytes()) / sizeof(float)}});
  });
  return success();
}

}  // namespace shingle
