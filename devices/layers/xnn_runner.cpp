#include "devices/layers/xnn_runner.hpp"

#include <cassert>

namespace shingle {

static_assert(xnnpack_extra_bytes <= readable_past_end);

WorkNeeds XnnRunner::needs(const Region& region, bool pool, int threads) const {
  assert(!pool);
  return {.strips = layer_.needs(region, threads)};
}

Status XnnRunner::run(const LayerRun& run) {
  assert(!run.pool && !run.adds);
  return layer_.run({.input = run.input(0).map,
                     .held = run.held,
                     .padded = run.padded,
                     .own_memory = run.own_memory,
                     .output = run.output.map,
                     .region = run.region,
                     .buffers = run.work.strips,
                     .pool = run.pool_of_threads});
}

}  // namespace shingle
