#include "devices/native/native_footprint.hpp"

#include <memory>

#include "devices/layers/native_layer.hpp"
#include "devices/layers/product_runner.hpp"
#include "devices/layers/recurrent_runner.hpp"
#include "devices/native/native_fusion.hpp"
#include "devices/pass/tile_pass.hpp"
#include "devices/plain/plain_operators.hpp"
#include "partition/simulation/block_work.hpp"

namespace shingle {
namespace {

// Measured on x86-64 with glibc, six nodes and plans of about 200 tiles, of 1 and of 7 MiB of
// traffic at each node (docs/understand/memory.md).
constexpr int64_t process_bytes = int64_t{1280} << 10;
constexpr int64_t owner_process_bytes = int64_t{1190} << 10;
constexpr int64_t peer_bytes = int64_t{128} << 10;
constexpr double queued = 0.07;
// Handed on as a copy of the canvas, then as one in the file's order once the canvas is gone.
constexpr double results_at_owner = 1.0;
constexpr double headroom =
    0.06;  // the fullest node held 5 % more than was foreseen (docs/understand/memory.md)

bool natively(const Model& model, const Step& step) {
  return runs_natively(model, model.at(step.layer), step.algorithm, step.output.c);
}

// Winograd's weights are transformed as they are used, as if there were no room to keep them so.
NativeLayer layer_of(const Model& model, const Step& step) {
  PackingRoom none;
  return NativeLayer::unpacked(model, step.layer, step.algorithm, step.output.c, none);
}

int64_t packed_bytes(const Model& model, const Step& step) {
  if (natively(model, step)) return layer_of(model, step).packed_bytes();
  if (recurs_natively(model.at(step.layer))) return packed_recurrence_bytes(model.at(step.layer));
  return weight_bytes(model, model.at(step.layer));
}

// Of all threads together.
int64_t shared_bytes(const Model& model, const Step& step) {
  const Layer& layer = model.at(step.layer);
  return recurs_natively(layer) ? recurrent_state_bytes(layer, step.output.y.size()) : 0;
}

// Of each thread.
int64_t scratch_bytes(const Model& model, const Step& step, bool pool) {
  if (natively(model, step)) return layer_of(model, step).scratch_bytes(step.output, pool);
  const Layer& layer = model.at(step.layer);
  if (std::holds_alternative<MatrixProduct>(layer.op))
    return product_scratch_bytes(model, layer, step.output.c);
  if (recurs_natively(layer)) return 0;
  return static_cast<int64_t>(bytes_of_floats(static_cast<size_t>(plain_scratch_floats(layer))));
}

// Runners hardly affect where maps lie: XNNPACK's need padded inputs, which a footprint does not
// count. A product's runner, which keeps an operand packed, is the real one.
class NoRunner final : public LayerRunner {
 public:
  WorkNeeds needs(const Region&, bool, int) const override { return {}; }
  Status run(const LayerRun&) override { return Error{"a footprint computes nothing"}; }
};

PassBuffers buffers_of(const Model& model, const TileProgram& program, int threads) {
  const std::vector<FusedStep> fused =
      fuse_steps(model, program,
                 native_fusion(model, [&](const Step& step) { return natively(model, step); }));
  NoRunner no_runner;
  std::vector<LayerRunner*> runners(fused.size(), &no_runner);
  std::vector<std::unique_ptr<LayerRunner>> products;
  for (size_t i = 0; i < fused.size(); ++i) {
    const Step& step = program.steps[fused[i].main];
    if (!std::holds_alternative<MatrixProduct>(model.at(step.layer).op)) continue;
    products.push_back(std::make_unique<ProductRunner>(model, step.layer, step.output.c));
    runners[i] = products.back().get();
  }
  const TilePass pass = plan_pass(model, program, fused, runners, in_strips(threads));
  int64_t of_thread = 0, shared = 0;  // of all steps: workspaces are reserved once, for the largest
  for (const PassStrip& strip : pass.strips) {
    // A pass that computes maps twice has more steps than the program.
    const PassStep& step = pass.steps[strip.step];
    const Step main{.layer = step.layer,
                    .algorithm = step.algorithm,
                    .output = with_rows(step.region, strip.rows),
                    .inputs = {}};
    of_thread = std::max(of_thread, scratch_bytes(model, main, step.pool.has_value()));
    shared = std::max(shared, shared_bytes(model, main));
  }
  return {.maps_bytes = pass.arena_bytes, .scratch_bytes = threads * of_thread + shared};
}

}  // namespace

Footprint native_footprint(int threads) {
  return {.pass = [threads = std::max(1, threads)](
                      const Model& model,
                      const TileProgram& program) { return buffers_of(model, program, threads); },
          .weights = packed_bytes,
          .process_bytes = process_bytes,
          .owner_process_bytes = owner_process_bytes,
          .peer_bytes = peer_bytes,
          .queued = queued,
          .results_at_owner = results_at_owner,
          .headroom = headroom};
}

}  // namespace shingle
