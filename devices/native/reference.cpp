#include "devices/native/reference.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "devices/executor/program_check.hpp"
#include "devices/executor/view.hpp"
#include "devices/pass/tile_pass.hpp"
#include "devices/weights/model_constants.hpp"
#include "devices/weights/steady_reading.hpp"

namespace shingle {

// A tile takes all constants that there are as it begins: others may be prepared meanwhile.
struct ReferenceExecutor::State {
  struct Held {
    TileProgram program;
    size_t times = 0;
  };

  Result<std::vector<Held>> with(std::span<const TileProgram> programs) const;
  ModelConstants constants_of(const std::vector<Held>& programs);
  void publish(std::vector<Held> programs, ModelConstants constants);
  std::shared_ptr<const ModelConstants> now() const {
    const std::lock_guard lock(mutex);
    return constants;
  }

  MemoryAccount account;  // first of what counts in it
  std::atomic<int64_t> largest_pass_bytes{0};
  std::atomic<const Model*> model{nullptr};

  std::mutex preparing;  // whoever prepares or forgets holds it
  ConstantPool pool{account, nullptr};
  std::vector<Held> held;

  mutable std::mutex mutex;
  std::shared_ptr<const ModelConstants> constants = std::make_shared<ModelConstants>();
};

Result<std::vector<ReferenceExecutor::State::Held>> ReferenceExecutor::State::with(
    std::span<const TileProgram> programs) const {
  std::vector<Held> next = held;
  for (const TileProgram& program : programs) {
    const auto known = std::ranges::find_if(
        next, [&](const Held& each) { return same_program(each.program, program); });
    if (known != next.end()) {
      ++known->times;
      continue;
    }
    if (const Status sound = check_whole_program(*model, program); !sound) return sound.failure();
    next.push_back({program, 1});
  }
  return next;
}

ModelConstants ReferenceExecutor::State::constants_of(const std::vector<Held>& programs) {
  ModelConstants all;
  for (const Held& each : programs) {
    for (const Step& step : each.program.steps) {
      all.add_tensors(*model, step, pool);
      all.add_layer(*model, step.layer, pool);
    }
  }
  return all;
}

void ReferenceExecutor::State::publish(std::vector<Held> programs, ModelConstants made) {
  auto next = std::make_shared<const ModelConstants>(std::move(made));
  held = std::move(programs);
  const std::lock_guard lock(mutex);
  constants.swap(next);
}

namespace {

// The tensors of one pass: windows that the caller lent, and maps computed so far.
struct Pass {
  std::vector<ConstTensorView> views;       // by tensor; an empty region where there is none
  std::vector<std::vector<float>> storage;  // by tensor
  int64_t bytes = 0;

  TensorView make(TensorId tensor, const Region& region) {
    std::vector<float>& values = storage[tensor.value];
    values.resize(static_cast<size_t>(region.elements()));
    bytes += bytes_of(region, ElementType::f32);
    const TensorView view{reinterpret_cast<std::byte*>(values.data()), region, ElementType::f32};
    views[tensor.value] = read_only(view);
    return view;
  }
};

}  // namespace

ReferenceExecutor::ReferenceExecutor() : state_(std::make_unique<State>()) {}
ReferenceExecutor::~ReferenceExecutor() = default;

Status ReferenceExecutor::prepare(const Model& model, std::span<const TileProgram> programs) {
  const std::lock_guard lock(state_->preparing);
  state_->model = &model;
  auto next = state_->with(programs);
  if (!next) return next.failure();
  auto constants =
      read_steadily(model, [&]() -> Result<ModelConstants> { return state_->constants_of(*next); });
  if (!constants) return constants.failure();
  state_->publish(std::move(*next), std::move(*constants));
  state_->pool.sweep();
  return success();
}

void ReferenceExecutor::forget(std::span<const TileProgram> programs) {
  const std::lock_guard lock(state_->preparing);
  std::vector<State::Held>& held = state_->held;
  for (const TileProgram& program : programs) {
    const auto known = std::ranges::find_if(
        held, [&](const State::Held& each) { return same_program(each.program, program); });
    if (known != held.end() && --known->times == 0) held.erase(known);
  }
  try {
    state_->publish(std::vector(held), state_->constants_of(held));
  } catch (const std::bad_alloc&) {
    // The constants of now stay, more than are needed.
  }
  state_->pool.sweep();
}

Status ReferenceExecutor::compute(const TileProgram& program,
                                  std::span<const ConstTensorView> inputs,
                                  std::span<const TensorView> outputs) {
  assert(state_->model != nullptr && inputs.size() == program.inputs.size() &&
         outputs.size() == program.outputs.size());
  const Model& model = *state_->model;
  const std::shared_ptr<const ModelConstants> constants = state_->now();
  Pass pass{.views = std::vector<ConstTensorView>(model.tensors.size()),
            .storage = std::vector<std::vector<float>>(model.tensors.size())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    pass.views[program.inputs[i].tensor.value] = inputs[i];
  }
  std::vector<ConstTensorView> step_inputs;
  std::vector<float> scratch;
  for (const Step& step : program.steps) {
    const Layer& layer = model.at(step.layer);
    step_inputs.clear();
    for (TensorId input : layer.inputs) {
      const bool constant = model.at(input).constant.has_value();
      step_inputs.push_back(constant ? constants->tensor(model, input) : pass.views[input.value]);
    }
    scratch.resize(static_cast<size_t>(plain_scratch_floats(layer)));
    run_plain({.model = model,
               .layer = layer,
               .constants = constants->layer(step.layer),
               .inputs = step_inputs,
               .output = pass.make(layer.output, step.output),
               .region = step.output,
               .scratch = scratch});
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Slice& slice = program.outputs[i];
    copy(pass.views[slice.tensor.value], outputs[i], slice.region);
  }
  state_->largest_pass_bytes = std::max(state_->largest_pass_bytes.load(), pass.bytes);
  return success();
}

Granule ReferenceExecutor::granule(const Model&, LayerId) const { return {}; }

Executor::Memory ReferenceExecutor::memory() const {
  const int64_t packed = state_->account.held();
  return {.packed_bytes = packed,
          .scratch_bytes = 0,
          .peak_bytes = state_->account.peak() + state_->largest_pass_bytes};
}

}  // namespace shingle
