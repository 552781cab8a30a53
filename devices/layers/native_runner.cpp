#include "devices/layers/native_runner.hpp"

#include <cassert>

namespace shingle {

namespace {

NativeRun native_run(const LayerRun& run) {
  NativeRun call{.input = run.input(0),
                 .held = run.held,
                 .output = run.output,
                 .region = run.region,
                 .pool = run.pool,
                 .added = {},
                 .activation = run.activation,
                 .added_after_activation = run.added_after_activation,
                 .scratch = run.work.threads,
                 .pool_of_threads = run.pool_of_threads};
  if (run.adds) call.added = run.input(run.inputs.size() - 1);
  return call;
}

}  // namespace

NativeRunner::NativeRunner(LayerId id, NativeLayer made, PackingRoom& room, WeightWatch& watch)
    : layer_(std::move(made)), room_(room), watch_(watch) {
  assert(layer_.has_weights());
  watch_.add(id, layer_.weights().bytes());
}

NativeRunner::~NativeRunner() {
  watch_.remove(layer_.weights().bytes());
  room_.bytes += layer_.room_taken();
}

WorkNeeds NativeRunner::needs(const Region& region, bool pool, int /*threads*/) const {
  return {.thread = layer_.needs(region, pool)};
}

std::vector<LayerPart> NativeRunner::parts(const Region& region, bool pool, int threads) const {
  return layer_.parts(region, pool, threads);
}

Status NativeRunner::run(const LayerRun& run) {
  layer_.run(native_run(run));
  return success();
}

void NativeRunner::run_part(const LayerRun& run, const LayerPart& part, int thread) const {
  layer_.run_part(native_run(run), part, *run.work.threads[static_cast<size_t>(thread)]);
}

}  // namespace shingle
