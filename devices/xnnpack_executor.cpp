#include "devices/xnnpack_executor.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include "devices/elementwise.hpp"
#include "devices/model_constants.hpp"
#include "devices/program_check.hpp"
#include "devices/self_test.hpp"
#include "devices/tile_pass.hpp"
#include "devices/view.hpp"
#include "devices/xnn_memory.hpp"

namespace shingle {

struct XnnpackExecutor::State {
  explicit State(int threads) : pool(threads), strips(account), arena(account) {}

  Result<LayerKernel> kernel_for(const Step& step);
  Status add_pass(const TileProgram& program);
  void reserve(const TilePass& pass);
  const TilePass* find(const TileProgram& program);
  void resolve(const TilePass& pass, std::span<const ConstTensorView> inputs,
               std::span<const TensorView> outputs);
  TensorView written(const Place& place, std::span<const TensorView> outputs) const;
  Status run(const PassStep& step, const TensorView& output, PlainLoops);
  Status run(const PassStep& step, const TensorView& output, XnnLayer* layer);

  MemoryAccount account;  // first: whatever is counted in it goes before it
  ThreadPool pool;
  const Model* model = nullptr;
  ModelConstants constants;
  // One operator and one packed copy of the weights per layer and span of channels.
  std::map<std::tuple<uint32_t, int32_t, int32_t>, XnnLayer> layers;
  std::deque<TilePass> passes;
  size_t last_found = 0;
  int64_t packed_bytes = 0;
  StripBuffers strips;
  AlignedBuffer arena;
  std::vector<ConstTensorView> views;        // of the running pass, by place
  std::vector<ConstTensorView> step_inputs;  // of the running step
};

XnnpackExecutor::XnnpackExecutor(XnnpackOptions options)
    : state_(std::make_unique<State>(std::max(options.threads, 1))) {}
XnnpackExecutor::~XnnpackExecutor() = default;

std::string XnnpackExecutor::arithmetic_class() const {
  static const std::string name = [] {
    XnnpackExecutor fresh;
    const Result<Hash> digest = self_test(fresh);
    const std::string generation = std::string(xnnpack_generation) + "/";
    return digest ? generation + short_name(*digest) : generation + "unsound";
  }();
  return name;
}

// --- preparing -----------------------------------------------------------------------------------

Status XnnpackExecutor::prepare(const Model& model, std::span<const TileProgram> programs) {
  const Status initialised = initialise_xnnpack();
  if (!initialised) return initialised;
  assert(state_->model == nullptr || state_->model == &model);
  state_->model = &model;
  const CountXnnpack counting(state_->account);
  for (const TileProgram& program : programs) {
    const Status added = state_->add_pass(program);
    if (!added) return added;
  }
  return success();
}

Status XnnpackExecutor::State::add_pass(const TileProgram& program) {
  if (find(program) != nullptr) return success();
  const Status sound = check_program(*model, program);
  if (!sound) return sound;
  const int64_t before = account.held();
  std::vector<LayerKernel> kernels;
  for (const Step& step : program.steps) {
    const Result<LayerKernel> kernel = kernel_for(step);
    if (!kernel) return Error{kernel.error()};
    kernels.push_back(*kernel);
  }
  packed_bytes += account.held() - before;
  passes.push_back(plan_pass(*model, program, kernels));
  reserve(passes.back());
  return success();
}

Result<LayerKernel> XnnpackExecutor::State::kernel_for(const Step& step) {
  const int64_t before = constants.bytes();
  constants.add_tensors(*model, step);
  const Layer& layer = model->at(step.layer);
  if (!runs_on_xnnpack(*model, layer)) constants.add_layer(*model, step.layer);
  account.add(constants.bytes() - before);
  if (!runs_on_xnnpack(*model, layer)) return LayerKernel{PlainLoops{}};
  const Span channels = computed_channels(*model, layer, step.output.c);
  const std::tuple key{step.layer.value, channels.begin, channels.end};
  const auto known = layers.find(key);
  if (known != layers.end()) return LayerKernel{&known->second};
  Result<XnnLayer> made = XnnLayer::make(*model, step.layer, channels);
  if (!made) return Error{made.error()};
  return LayerKernel{&layers.emplace(key, std::move(made).value()).first->second};
}

void XnnpackExecutor::State::reserve(const TilePass& pass) {
  arena.reserve(pass.arena_bytes);
  views.reserve(pass.places.size());
  for (const PassStep& step : pass.steps) {
    step_inputs.reserve(step.inputs.size());
    if (const auto* layer = std::get_if<XnnLayer*>(&step.kernel)) {
      (*layer)->reserve(step.region, pool, strips);
    }
  }
}

// --- computing -----------------------------------------------------------------------------------

// Tiles mostly come in the order in which they were prepared.
const TilePass* XnnpackExecutor::State::find(const TileProgram& program) {
  for (size_t i = 0; i < passes.size(); ++i) {
    const size_t index = (last_found + 1 + i) % passes.size();
    if (!same_program(passes[index].program, program)) continue;
    last_found = index;
    return &passes[index];
  }
  return nullptr;
}

Status XnnpackExecutor::compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                                std::span<const TensorView> outputs) {
  const TilePass* pass = state_->find(program);
  assert(pass != nullptr && inputs.size() == program.inputs.size() &&
         outputs.size() == program.outputs.size());
  const CountXnnpack counting(state_->account);
  state_->resolve(*pass, inputs, outputs);
  for (const PassStep& step : pass->steps) {
    const Place& place = pass->places[step.output];
    const TensorView output = state_->written(place, outputs);
    if (place.kind == Place::Kind::arena) fill_around(output, place.held, place.stored.neutral);
    const Status done =
        std::visit([&](auto kernel) { return state_->run(step, output, kernel); }, step.kernel);
    if (!done) return done;
    if (step.copied_to) {
      copy(read_only(output), outputs[*step.copied_to], program.outputs[*step.copied_to].region);
    }
  }
  return success();
}

TensorView XnnpackExecutor::State::written(const Place& place,
                                           std::span<const TensorView> outputs) const {
  if (place.kind == Place::Kind::output) return outputs[place.index];
  assert(place.kind == Place::Kind::arena);
  return {arena.data() + place.offset, place.stored.box, ElementType::f32};
}

void XnnpackExecutor::State::resolve(const TilePass& pass, std::span<const ConstTensorView> inputs,
                                     std::span<const TensorView> outputs) {
  views.clear();
  for (const Place& place : pass.places) {
    switch (place.kind) {
      case Place::Kind::absent:
        views.push_back({});
        break;
      case Place::Kind::input:
        views.push_back(inputs[place.index]);
        break;
      case Place::Kind::constant:
        views.push_back(constants.tensor(*model, place.tensor));
        break;
      case Place::Kind::arena:
      case Place::Kind::output:
        views.push_back(read_only(written(place, outputs)));
        break;
    }
  }
}

Status XnnpackExecutor::State::run(const PassStep& step, const TensorView& output,
                                   XnnLayer* layer) {
  return layer->run({.input = views[step.inputs[0]],
                     .held = step.demands[0],
                     .padded = step.padded,
                     .own_memory = step.own_memory,
                     .output = output,
                     .region = step.region,
                     .buffers = strips,
                     .pool = pool});
}

// Rows are shared out among the threads: every band of the output is computed as if it were all.
Status XnnpackExecutor::State::run(const PassStep& step, const TensorView& output, PlainLoops) {
  step_inputs.clear();
  for (size_t input : step.inputs) step_inputs.push_back(views[input]);
  const Span rows = step.region.y;
  const int bands = pool.threads() == 1 ? 1 : std::min(4 * pool.threads(), rows.size());
  const int64_t operations = step.region.elements() * cost_of(model->at(step.layer).activation) +
                             macs(*model, step.layer, step.region);
  pool.for_each(bands, operations, [&](int band) {
    Region part = step.region;
    part.y = {rows.begin + static_cast<int32_t>(int64_t{rows.size()} * band / bands),
              rows.begin + static_cast<int32_t>(int64_t{rows.size()} * (band + 1) / bands)};
    run_plain({.model = *model,
               .layer = model->at(step.layer),
               .constants = constants.layer(step.layer),
               .inputs = step_inputs,
               .output = output,
               .region = part});
  });
  return success();
}

// --- facts ---------------------------------------------------------------------------------------

Granule XnnpackExecutor::granule(const Model& model, LayerId id) const {
  const Layer& layer = model.at(id);
  if (!runs_on_xnnpack(model, layer)) return {};
  // Whole sets of channels that are computed together, at least one of the widest vectors full. A
  // region of fewer than 4 pixels costs as much as one of 4, which no position of a border can
  // help.
  constexpr int32_t vector = 16;
  const int32_t together = computed_channels(model, layer, {0, 1}).size();
  const int32_t channels = together * ((vector + together - 1) / together);
  return {.y = 1, .x = 1, .c = std::min(channels, model.at(layer.output).shape.c)};
}

Executor::Memory XnnpackExecutor::memory() const {
  const int64_t held = state_->account.held();
  return {.packed_bytes = state_->packed_bytes,
          .scratch_bytes = held - state_->packed_bytes,
          .peak_bytes = state_->account.peak()};
}

}  // namespace shingle
