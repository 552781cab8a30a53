#include "devices/reference.hpp"

#include <algorithm>

#include "devices/model_constants.hpp"
#include "devices/program_check.hpp"
#include "devices/view.hpp"

namespace shingle {

struct ReferenceExecutor::State {
  const Model* model = nullptr;
  ModelConstants constants;
  int64_t largest_pass_bytes = 0;
};

namespace {

// The tensors of one pass: windows that the caller lent, and maps computed so far.
struct Pass {
  std::vector<ConstTensorView> views;       // by tensor; an empty region where there is none
  std::vector<std::vector<float>> storage;  // by tensor
  int64_t bytes = 0;

  TensorView make(TensorId tensor, const Region& region) {
    std::vector<float>& values = storage[tensor.value];
    values.resize(static_cast<size_t>(region.elements()));
    bytes += region.elements() * 4;
    const TensorView view{reinterpret_cast<std::byte*>(values.data()), region, ElementType::f32};
    views[tensor.value] = read_only(view);
    return view;
  }
};

}  // namespace

ReferenceExecutor::ReferenceExecutor() : state_(std::make_unique<State>()) {}
ReferenceExecutor::~ReferenceExecutor() = default;

Status ReferenceExecutor::prepare(const Model& model, std::span<const TileProgram> programs) {
  state_->model = &model;
  for (const TileProgram& program : programs) {
    const Status sound = check_whole_program(model, program);
    if (!sound) return sound;
    for (const Step& step : program.steps) {
      state_->constants.add_tensors(model, step);
      state_->constants.add_layer(model, step.layer);
    }
  }
  return success();
}

Status ReferenceExecutor::compute(const TileProgram& program,
                                  std::span<const ConstTensorView> inputs,
                                  std::span<const TensorView> outputs) {
  assert(state_->model != nullptr && inputs.size() == program.inputs.size() &&
         outputs.size() == program.outputs.size());
  const Model& model = *state_->model;
  Pass pass{.views = std::vector<ConstTensorView>(model.tensors.size()),
            .storage = std::vector<std::vector<float>>(model.tensors.size())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    pass.views[program.inputs[i].tensor.value] = inputs[i];
  }
  std::vector<ConstTensorView> step_inputs;
  for (const Step& step : program.steps) {
    const Layer& layer = model.at(step.layer);
    step_inputs.clear();
    for (TensorId input : layer.inputs) {
      const bool constant = model.at(input).constant.has_value();
      step_inputs.push_back(constant ? state_->constants.tensor(model, input)
                                     : pass.views[input.value]);
    }
    run_plain({.model = model,
               .layer = layer,
               .constants = state_->constants.layer(step.layer),
               .inputs = step_inputs,
               .output = pass.make(layer.output, step.output),
               .region = step.output});
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Slice& slice = program.outputs[i];
    copy(pass.views[slice.tensor.value], outputs[i], slice.region);
  }
  state_->largest_pass_bytes = std::max(state_->largest_pass_bytes, pass.bytes);
  return success();
}

Granule ReferenceExecutor::granule(const Model&, LayerId) const { return {}; }

Executor::Memory ReferenceExecutor::memory() const {
  const int64_t packed = state_->constants.bytes();
  return {.packed_bytes = packed,
          .scratch_bytes = 0,
          .peak_bytes = packed + state_->largest_pass_bytes};
}

}  // namespace shingle
