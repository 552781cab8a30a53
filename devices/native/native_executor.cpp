#include "devices/native/native_executor.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "devices/executor/program_check.hpp"
#include "devices/layers/native_runner.hpp"
#include "devices/layers/plain_runner.hpp"
#include "devices/layers/product_runner.hpp"
#include "devices/layers/recurrent_runner.hpp"
#include "devices/layers/xnn_runner.hpp"
#include "devices/native/native_fusion.hpp"
#include "devices/native/self_test.hpp"
#include "devices/pass/native_passes.hpp"
#include "devices/pass/pass_runner.hpp"
#include "devices/weights/model_constants.hpp"
#include "devices/weights/steady_reading.hpp"
#include "devices/weights/weight_watch.hpp"
#include "devices/xnnpack/xnn_memory.hpp"

namespace shingle {

namespace {

// One runner per layer, algorithm and span of channels, which the passes share.
using LayerKey = std::tuple<uint32_t, Algorithm, int32_t, int32_t>;
struct Runners {
  SharedParts<LayerKey, NativeRunner> native;  // one packed copy of the weights in each
  SharedParts<LayerKey, XnnRunner> xnn;
  SharedParts<LayerKey, ProductRunner> product;
  SharedParts<uint32_t, RecurrentRunner> recurrent;  // by layer: all of its channels
};

}  // namespace

struct NativeExecutor::State {
  explicit State(NativeOptions chosen)
      : options(std::move(chosen)),
        pool(std::max(options.threads, 1)),
        store(options.packed_folder, options.compiled),
        choices(options.kernel_choices, options.clock),
        room{options.transformed_bytes} {}

  Status prepare(std::span<const TileProgram> programs);
  bool natively(const Step& step);
  Result<std::shared_ptr<PreparedPass>> make_pass(const TileProgram& program);
  Result<std::shared_ptr<LayerRunner>> runner_for(const Step& step, PreparedPass& pass);
  Error weights_not_there(const Layer& layer) const;
  Result<std::shared_ptr<NativeRunner>> native_layer(const Step& step);
  Result<std::shared_ptr<XnnRunner>> xnn_layer(const Step& step);
  Result<std::shared_ptr<ProductRunner>> product_layer(const Step& step);
  Result<std::shared_ptr<RecurrentRunner>> recurrent_layer(LayerId layer);
  const ThreadPool& pool_for_trials();
  void sweep();

  // Whatever becomes of it.
  struct Preparing {
    explicit Preparing(State& its_state) : state(its_state) {}
    ~Preparing() {
      state.trial_pool.reset();
      state.sweep();
    }
    Preparing(const Preparing&) = delete;
    Preparing& operator=(const Preparing&) = delete;
    State& state;
  };

  NativeOptions options;
  MemoryAccount account;  // first of what counts in it: it goes last
  MemoryAccount packed{&account};
  ThreadPool pool;  // of whoever computes
  WeightWatch watch;

  // Whoever prepares or forgets holds it, and nobody who computes.
  std::mutex preparing;
  const Model* model = nullptr;
  ConstantPool constants{packed, &watch};
  Runners shared;
  PackedStore store;
  KernelChoices choices;
  std::unique_ptr<ThreadPool> trial_pool;  // while something is prepared
  PackingRoom room;
  PreparedPasses passes{pool, account};  // goes first: what it holds uses the others
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
  static const auto& own = *new std::string(class_of(NativeOptions::Kernels::own));
  static const auto& xnnpack = *new std::string(class_of(NativeOptions::Kernels::xnnpack));
  return state_->options.kernels == NativeOptions::Kernels::own ? own : xnnpack;
}

// --- preparing -----------------------------------------------------------------------------------

namespace {

// Constants are released one by one as they are packed, but reading the next one brings pages
// around it back: the kernel maps neighbours of a page together with it. So all are released at the
// end.
void release_constants(const Model& model) {
  for (const FloatView& view : model.constants) release_pages(model, view.bytes());
}

}  // namespace

Status NativeExecutor::prepare(const Model& model, std::span<const TileProgram> programs) {
  const std::lock_guard lock(state_->preparing);
  const Status initialised = initialise_xnnpack();
  if (!initialised) return initialised;
  assert(state_->model == nullptr || state_->model == &model);
  state_->model = &model;
  const CountXnnpack counting(state_->packed);
  const State::Preparing end(*state_);
  const int64_t packed_before = state_->packed.held();
  Status prepared = state_->prepare(programs);
  if (state_->packed.held() > packed_before) release_constants(model);
  return prepared;
}

Status NativeExecutor::State::prepare(std::span<const TileProgram> programs) {
  auto changed = read_steadily(*model, [&]() -> Result<PreparedPasses::Change> {
    PreparedPasses::Change change(passes);
    for (const TileProgram& program : programs) {
      if (change.hold_again(program)) continue;
      auto made = make_pass(program);
      if (!made) return made.failure();
      change.hold(std::move(*made));
    }
    return change;
  });
  if (!changed) return changed.failure();
  changed->publish();
  return success();
}

void NativeExecutor::forget(std::span<const TileProgram> programs) {
  const std::lock_guard lock(state_->preparing);
  state_->passes.forget(programs);
  state_->sweep();
}

// Names alone: what they named is gone with the last pass that held it.
void NativeExecutor::State::sweep() {
  shared.native.sweep();
  shared.xnn.sweep();
  shared.product.sweep();
  shared.recurrent.sweep();
  constants.sweep();
}

Result<std::shared_ptr<PreparedPass>> NativeExecutor::State::make_pass(const TileProgram& program) {
  const Status sound = check_program(*model, program);
  if (!sound) return sound.failure();
  const std::vector<FusedStep> fused = fuse_steps(
      *model, program, native_fusion(*model, [this](const Step& step) { return natively(step); }));
  auto made = std::make_shared<PreparedPass>();
  std::vector<LayerRunner*> runners;
  for (const FusedStep& step : fused) {
    auto runner = runner_for(program.steps[step.main], *made);
    if (!runner) return runner.failure();
    if (step.addition)
      made->ready.constants.add_tensors(*model, program.steps[*step.addition], constants);
    runners.push_back(runner->get());
    made->runners.push_back(std::move(*runner));
  }
  PassOptions how;
  if (options.kernels == NativeOptions::Kernels::own) how = in_strips(pool.threads());
  how.max_bytes = options.map_bytes;
  made->ready.pass = plan_pass(*model, program, fused, runners, how);
  made->ready.pieces = cut_pass(*model, made->ready.pass, pool.threads());
  made->model = model;
  made->needs = needs_of(made->ready, pool.threads());
  return made;
}

bool NativeExecutor::State::natively(const Step& step) {
  const Layer& layer = model->at(step.layer);
  if (!runs_natively(*model, layer, step.algorithm, step.output.c)) return false;
  if (bits_are_ours(*model, layer, step.algorithm)) return true;
  return options.kernels == NativeOptions::Kernels::own &&
         !choices.xnnpack(*model, step, pool_for_trials());
}

// Tiles are computed on the other one meanwhile. Without a file nothing is tried.
const ThreadPool& NativeExecutor::State::pool_for_trials() {
  if (options.kernel_choices.empty()) return pool;
  if (!trial_pool) trial_pool = std::make_unique<ThreadPool>(pool.threads());
  return *trial_pool;
}

Result<std::shared_ptr<LayerRunner>> NativeExecutor::State::runner_for(const Step& step,
                                                                       PreparedPass& pass) {
  const Layer& layer = model->at(step.layer);
  pass.ready.constants.add_tensors(*model, step, constants);
  if (natively(step)) {
    auto made = native_layer(step);
    if (!made) return made.failure();
    if (const Status read = pass.read_from((*made)->weights()); !read) return read.failure();
    return std::shared_ptr<LayerRunner>(*made);
  }
  if (std::holds_alternative<MatrixProduct>(layer.op)) {
    auto made = product_layer(step);
    if (!made) return Error{made.error()};
    return std::shared_ptr<LayerRunner>(*made);
  }
  if (recurs_natively(layer)) {
    auto made = recurrent_layer(step.layer);
    if (!made) return Error{made.error()};
    return std::shared_ptr<LayerRunner>(*made);
  }
  if (!has_weights(*model, layer)) return weights_not_there(layer);
  if (!runs_on_xnnpack(*model, layer)) {
    return std::shared_ptr<LayerRunner>(
        std::make_shared<PlainRunner>(*model, step.layer, constants.layer(*model, step.layer)));
  }
  auto made = xnn_layer(step);
  if (!made) return made.failure();
  return std::shared_ptr<LayerRunner>(*made);
}

// Names the plan that the file was compiled for: the caller names the one that this is.
Error NativeExecutor::State::weights_not_there(const Layer& layer) const {
  std::string sentence = weights_missing(layer).sentence;
  for (const std::shared_ptr<const CompiledFile>& file : options.compiled) {
    const Result<uint64_t> version = file->file().version();
    sentence += "; " + (version ? file->what() : version.error());
  }
  return Error{sentence};
}

Result<std::shared_ptr<NativeRunner>> NativeExecutor::State::native_layer(const Step& step) {
  const Span channels = step.output.c;
  const LayerKey key{step.layer.value, step.algorithm, channels.begin, channels.end};
  return shared.native.get(key, [&]() -> Result<std::shared_ptr<NativeRunner>> {
    NativeLayer layer(*model, step.layer, step.algorithm, channels, room, store, packed);
    if (!layer.has_weights()) {
      room.bytes += layer.room_taken();
      return weights_not_there(model->at(step.layer));
    }
    layer.cut(choices.blocks(*model, step, layer, pool_for_trials()));
    return std::shared_ptr<NativeRunner>(
        new NativeRunner(step.layer, std::move(layer), room, watch));
  });
}

Result<std::shared_ptr<XnnRunner>> NativeExecutor::State::xnn_layer(const Step& step) {
  const Span channels = computed_channels(*model, model->at(step.layer), step.output.c);
  const LayerKey key{step.layer.value, step.algorithm, channels.begin, channels.end};
  return shared.xnn.get(key, [&]() -> Result<std::shared_ptr<XnnRunner>> {
    Result<XnnLayer> made = XnnLayer::make(*model, step.layer, channels);
    if (!made) return made.failure();
    return std::make_shared<XnnRunner>(std::move(made).value());
  });
}

Result<std::shared_ptr<ProductRunner>> NativeExecutor::State::product_layer(const Step& step) {
  const Span channels = step.output.c;
  const LayerKey key{step.layer.value, step.algorithm, channels.begin, channels.end};
  return shared.product.get(key, [&]() -> Result<std::shared_ptr<ProductRunner>> {
    return std::make_shared<ProductRunner>(*model, step.layer, channels);
  });
}

Result<std::shared_ptr<RecurrentRunner>> NativeExecutor::State::recurrent_layer(LayerId layer) {
  return shared.recurrent.get(layer.value, [&]() -> Result<std::shared_ptr<RecurrentRunner>> {
    return std::make_shared<RecurrentRunner>(*model, layer, pool.threads(), packed, watch);
  });
}

// --- computing -----------------------------------------------------------------------------------

Status NativeExecutor::compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                               std::span<const TensorView> outputs) {
  const PreparedPasses::InUse use = state_->passes.use(program);
  assert(use.pass != nullptr && inputs.size() == program.inputs.size() &&
         outputs.size() == program.outputs.size());
  const CountXnnpack counting(state_->account);
  std::string touched;
  try {
    constexpr int attempts = 3;  // each time somebody was at the files of the weights meanwhile
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const Status done = use.runner->run(*use.pass->model, use.pass->ready, inputs, outputs);
      if (!done) return done;
      Result<std::string> file = use.pass->touched_file();
      if (!file) return file.failure();
      if (file->empty()) return success();
      touched = std::move(*file);
    }
  } catch (const std::bad_alloc&) {
    return Error{
        "this machine has no memory left to compute a tile; stop other programs on it, or plan "
        "with a smaller --memory"};
  }
  return Error{"the packed weights in '" + touched +
               "' changed again and again while a tile was computed; stop the program that writes "
               "them"};
}

// --- weights -------------------------------------------------------------------------------------

Status NativeExecutor::check_weights(double share) {
  if (Status files = state_->passes.check_files(); !files) return files;
  const std::optional<LayerId> changed = state_->watch.look(share);
  if (!changed) return success();
  return Error{"the weights of layer '" + state_->passes.model()->at(*changed).name +
               "' are no longer what they were when they were packed"};
}

std::vector<NativeExecutor::Weights> NativeExecutor::weights() {
  const std::lock_guard lock(state_->preparing);
  std::vector<Weights> all;
  state_->shared.native.visit([&](const LayerKey& key, NativeRunner& layer) {
    if (const auto bytes = layer.weights().packed(); !bytes.empty())
      all.push_back({LayerId{std::get<0>(key)}, bytes});
  });
  state_->shared.recurrent.visit([&](uint32_t layer, RecurrentRunner& runner) {
    all.push_back({LayerId{layer}, runner.weights()});
  });
  for (const auto& [layer, bytes] : state_->constants.weights()) all.push_back({layer, bytes});
  return all;
}

// --- facts ---------------------------------------------------------------------------------------

Granule NativeExecutor::granule(const Model& model, LayerId id) const {
  const Layer& layer = model.at(id);
  const Shape shape = model.at(layer.output).shape;
  const bool on_xnnpack = runs_on_xnnpack(model, layer);
  if (!on_xnnpack && !runs_natively(model, layer, Algorithm::direct, {0, shape.c})) return {};
  // Whole sets of channels that are computed together, at least one of the widest vectors full. A
  // region of fewer than 4 pixels costs as much as one of 4, which no position of a border can
  // help.
  constexpr int32_t vector = 16;
  const int32_t together = on_xnnpack ? computed_channels(model, layer, {0, 1}).size() : 1;
  const int32_t channels = together * ((vector + together - 1) / together);
  return {.y = 1, .x = 1, .c = std::min(channels, shape.c)};
}

Executor::Memory NativeExecutor::memory() const {
  const int64_t packed = state_->packed.held();
  return {.packed_bytes = packed,
          .scratch_bytes = state_->account.held() - packed,
          .peak_bytes = state_->account.peak()};
}

int64_t NativeExecutor::activation_bytes() const { return state_->passes.arena_bytes(); }

std::vector<LayerId> NativeExecutor::layers_in_store() const {
  const std::lock_guard lock(state_->preparing);
  std::map<uint32_t, bool> kept;
  state_->shared.native.visit([&](const LayerKey& key, const NativeRunner& layer) {
    const bool so_far = kept.try_emplace(std::get<0>(key), true).first->second;
    kept[std::get<0>(key)] = so_far && layer.layer().is_stored();
  });
  state_->shared.xnn.visit(
      [&](const LayerKey& key, const XnnRunner&) { kept.erase(std::get<0>(key)); });
  std::vector<LayerId> layers;
  for (const auto& [layer, all] : kept)
    if (all && !state_->constants.has_layer(LayerId{layer})) layers.push_back(LayerId{layer});
  return layers;
}

size_t NativeExecutor::prepared() const { return state_->passes.count(); }

MemoryPlan NativeExecutor::memory_plan(const TileProgram& program) const {
  const PreparedPasses::InUse use = state_->passes.use(program);
  assert(use.pass != nullptr);
  return shingle::memory_plan(*use.pass->model, use.pass->ready.pass);
}

}  // namespace shingle
