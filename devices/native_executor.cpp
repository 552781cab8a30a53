#include "devices/native_executor.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "devices/model_constants.hpp"
#include "devices/pass_runner.hpp"
#include "devices/program_check.hpp"
#include "devices/self_test.hpp"
#include "devices/weight_watch.hpp"
#include "devices/xnn_memory.hpp"

namespace shingle {

struct NativeExecutor::State {
  explicit State(NativeOptions chosen)
      : options(std::move(chosen)),
        pool(std::max(options.threads, 1)),
        store(options.packed_folder, options.compiled),
        choices(options.kernel_choices, options.clock),
        room{options.transformed_bytes},
        runner(pool, constants, account) {}

  bool natively(const Step& step);
  Result<LayerKernel> kernel_for(const Step& step);
  Result<const NativeLayer*> native_layer(const Step& step);
  Error weights_not_there(const Layer& layer) const;
  Result<XnnLayer*> xnn_layer(const Step& step);
  void watch_constants(const Step& step);
  Status add_pass(const TileProgram& program);
  const ReadyPass* find(const TileProgram& program);

  NativeOptions options;
  MemoryAccount account;  // first of what counts in it: it goes last
  ThreadPool pool;
  const Model* model = nullptr;
  ModelConstants constants;
  // One packed copy of the weights per layer, algorithm and span of channels.
  using LayerKey = std::tuple<uint32_t, Algorithm, int32_t, int32_t>;
  std::map<LayerKey, NativeLayer> native_layers;
  PackedStore store;
  KernelChoices choices;
  PackingRoom room;
  std::map<LayerKey, XnnLayer> xnn_layers;
  WeightWatch watch;
  std::deque<ReadyPass> passes;
  size_t last_found = 0;
  int64_t packed_bytes = 0;
  PassRunner runner;
};

NativeExecutor::NativeExecutor(NativeOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}
NativeExecutor::~NativeExecutor() = default;

std::string NativeExecutor::name() const {
  return state_->options.kernels == NativeOptions::Kernels::own ? "native" : "xnnpack";
}

std::string NativeExecutor::arithmetic_class() const {
  const auto class_of = [](NativeOptions::Kernels kernels) {
    NativeExecutor fresh({.threads = 1, .kernels = kernels});
    const Result<Hash> digest = self_test(fresh);
    return "f32/" + (digest ? short_name(*digest) : "unsound");
  };
  static const std::string own = class_of(NativeOptions::Kernels::own);
  static const std::string xnnpack = class_of(NativeOptions::Kernels::xnnpack);
  return state_->options.kernels == NativeOptions::Kernels::own ? own : xnnpack;
}

// --- preparing -----------------------------------------------------------------------------------

namespace {

// What was let go as it was packed came back in part: the kernel maps what lies around a page too.
void let_go_of_constants(const Model& model) {
  for (const FloatView& view : model.constants)
    let_go(model, {view.data, static_cast<size_t>(view.count) * sizeof(float)});
}

}  // namespace

Status NativeExecutor::prepare(const Model& model, std::span<const TileProgram> programs) {
  const Status initialised = initialise_xnnpack();
  if (!initialised) return initialised;
  assert(state_->model == nullptr || state_->model == &model);
  state_->model = &model;
  const CountXnnpack counting(state_->account);
  const int64_t packed_before = state_->packed_bytes;
  for (const TileProgram& program : programs) {
    const Status added = state_->add_pass(program);
    if (!added) return added;
  }
  if (state_->packed_bytes > packed_before) let_go_of_constants(model);
  return success();
}

Status NativeExecutor::State::add_pass(const TileProgram& program) {
  if (find(program) != nullptr) return success();
  const Status sound = check_program(*model, program);
  if (!sound) return sound;
  const int64_t before = account.held(), constants_before = constants.bytes();
  const std::vector<FusedStep> fused =
      fuse_steps(*model, program, [this](const Step& step) { return natively(step); });
  std::vector<LayerKernel> kernels;
  for (const FusedStep& step : fused) {
    const Result<LayerKernel> kernel = kernel_for(program.steps[step.main]);
    if (!kernel) return Error{kernel.error()};
    if (step.addition) constants.add_tensors(*model, program.steps[*step.addition]);
    watch_constants(program.steps[step.main]);
    if (step.addition) watch_constants(program.steps[*step.addition]);
    kernels.push_back(*kernel);
  }
  account.add(constants.bytes() - constants_before);
  packed_bytes += account.held() - before;
  PassOptions how;
  if (options.kernels == NativeOptions::Kernels::own) how = in_strips(pool.threads());
  how.most_bytes = options.map_bytes;
  TilePass pass = plan_pass(*model, program, fused, kernels, how);
  PassPieces pieces = cut_pass(*model, pass, pool.threads());
  passes.push_back({std::move(pass), std::move(pieces)});
  runner.reserve(passes.back());
  return success();
}

void NativeExecutor::State::watch_constants(const Step& step) {
  for (const auto bytes : constants.read_by(*model, step)) watch.add(step.layer, bytes);
}

bool NativeExecutor::State::natively(const Step& step) {
  const Layer& layer = model->at(step.layer);
  if (!runs_natively(*model, layer, step.algorithm, step.output.c)) return false;
  if (bits_are_ours(*model, layer, step.algorithm)) return true;
  return options.kernels == NativeOptions::Kernels::own && !choices.xnnpack(*model, step, pool);
}

Result<LayerKernel> NativeExecutor::State::kernel_for(const Step& step) {
  const Layer& layer = model->at(step.layer);
  constants.add_tensors(*model, step);
  if (!natively(step) && !has_weights(*model, layer)) return weights_not_there(layer);
  const bool on_xnnpack = runs_on_xnnpack(*model, layer);
  if (!natively(step) && !on_xnnpack) constants.add_layer(*model, step.layer);
  if (natively(step)) {
    const Result<const NativeLayer*> made = native_layer(step);
    if (!made) return Error{made.error()};
    return LayerKernel{*made};
  }
  if (!on_xnnpack) return LayerKernel{PlainLoops{}};
  const Result<XnnLayer*> made = xnn_layer(step);
  if (!made) return Error{made.error()};
  return LayerKernel{*made};
}

// Names the plan that the file was compiled for: the caller names the one that this is.
Error NativeExecutor::State::weights_not_there(const Layer& layer) const {
  std::string sentence = weights_missing(layer).sentence;
  for (const std::shared_ptr<const CompiledFile>& file : options.compiled)
    sentence += "; " + file->what();
  return Error{sentence};
}

Result<const NativeLayer*> NativeExecutor::State::native_layer(const Step& step) {
  const Span channels = step.output.c;
  const LayerKey key{step.layer.value, step.algorithm, channels.begin, channels.end};
  const auto [made, is_new] = native_layers.try_emplace(key, *model, step.layer, step.algorithm,
                                                        channels, room, store, account);
  NativeLayer& layer = made->second;
  if (!layer.has_weights()) {
    native_layers.erase(made);
    return weights_not_there(model->at(step.layer));
  }
  watch.add(step.layer, layer.weights().bytes());
  if (is_new) layer.cut(choices.blocks(*model, step, layer, pool));
  return &layer;
}

Result<XnnLayer*> NativeExecutor::State::xnn_layer(const Step& step) {
  const Span channels = computed_channels(*model, model->at(step.layer), step.output.c);
  const LayerKey key{step.layer.value, step.algorithm, channels.begin, channels.end};
  const auto known = xnn_layers.find(key);
  if (known != xnn_layers.end()) return &known->second;
  Result<XnnLayer> made = XnnLayer::make(*model, step.layer, channels);
  if (!made) return Error{made.error()};
  return &xnn_layers.emplace(key, std::move(made).value()).first->second;
}

// --- computing -----------------------------------------------------------------------------------

// Tiles mostly come in the order in which they were prepared.
const ReadyPass* NativeExecutor::State::find(const TileProgram& program) {
  for (size_t i = 0; i < passes.size(); ++i) {
    const size_t index = (last_found + 1 + i) % passes.size();
    if (!same_program(passes[index].pass.program, program)) continue;
    last_found = index;
    return &passes[index];
  }
  return nullptr;
}

Status NativeExecutor::compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                               std::span<const TensorView> outputs) {
  const ReadyPass* ready = state_->find(program);
  assert(ready != nullptr && inputs.size() == program.inputs.size() &&
         outputs.size() == program.outputs.size());
  const CountXnnpack counting(state_->account);
  return state_->runner.run(*state_->model, *ready, inputs, outputs);
}

// --- weights -------------------------------------------------------------------------------------

Status NativeExecutor::check_weights(double share) {
  const std::optional<LayerId> changed = state_->watch.look(share);
  if (!changed) return success();
  return Error{"the weights of layer '" + state_->model->at(*changed).name +
               "' are no longer what they were when they were packed"};
}

std::vector<NativeExecutor::Weights> NativeExecutor::weights() {
  std::vector<Weights> all;
  for (auto& [key, layer] : state_->native_layers)
    if (const auto bytes = layer.weights().packed(); !bytes.empty())
      all.push_back({LayerId{std::get<0>(key)}, bytes});
  for (const auto& [layer, bytes] : state_->constants.weights()) all.push_back({layer, bytes});
  return all;
}

// --- facts ---------------------------------------------------------------------------------------

Granule NativeExecutor::granule(const Model& model, LayerId id) const {
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

Executor::Memory NativeExecutor::memory() const {
  const int64_t held = state_->account.held();
  return {.packed_bytes = state_->packed_bytes,
          .scratch_bytes = held - state_->packed_bytes,
          .peak_bytes = state_->account.peak()};
}

int64_t NativeExecutor::activation_bytes() const { return state_->runner.arena_bytes(); }

std::vector<LayerId> NativeExecutor::layers_in_store() const {
  std::map<uint32_t, bool> kept;
  for (const auto& [key, layer] : state_->native_layers) {
    const bool so_far = kept.try_emplace(std::get<0>(key), true).first->second;
    kept[std::get<0>(key)] = so_far && layer.is_stored();
  }
  for (const auto& [key, layer] : state_->xnn_layers) kept.erase(std::get<0>(key));
  std::vector<LayerId> layers;
  for (const auto& [layer, all] : kept) {
    if (all && !state_->constants.has_layer(LayerId{layer})) layers.push_back(LayerId{layer});
  }
  return layers;
}

MemoryPlan NativeExecutor::memory_plan(const TileProgram& program) const {
  const ReadyPass* ready = state_->find(program);
  assert(ready != nullptr);
  return shingle::memory_plan(*state_->model, ready->pass);
}

}  // namespace shingle
