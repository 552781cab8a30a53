#include "apps/client/bare_machine.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

BareMachine::BareMachine(const Model& model, std::unique_ptr<Executor> executor,
                         TileProgram program)
    : model_(&model), executor_(std::move(executor)), program_(std::move(program)) {}

Result<BareMachine> BareMachine::make(const Model& model, std::unique_ptr<Executor> executor) {
  return make(model, std::move(executor), whole_program(model));
}

Result<BareMachine> BareMachine::make(const Model& model, std::unique_ptr<Executor> executor,
                                      TileProgram program) {
  BareMachine machine(model, std::move(executor), std::move(program));
  const Status prepared = machine.executor_->prepare(model, std::span(&machine.program_, 1));
  if (!prepared) return Error{prepared.error()};
  return machine;
}

Result<std::vector<std::vector<std::byte>>> BareMachine::compute(std::span<const std::byte> input) {
  assert(program_.inputs.size() == 1);
  const Slice& read = program_.inputs[0];
  const Tensor& source = model_->at(read.tensor);
  assert(std::ssize(input) == source.shape.elements() * bytes_of(source.type));
  const ConstTensorView in{input.data(), whole(source.shape), source.type};
  std::vector<std::vector<std::byte>> buffers;
  std::vector<TensorView> views;
  for (const Slice& slice : program_.outputs) {
    const Shape shape = model_->at(slice.tensor).shape;
    buffers.emplace_back(static_cast<size_t>(shape.elements()) * sizeof(float));
    views.push_back({buffers.back().data(), whole(shape), ElementType::f32});
  }
  const Status done = executor_->compute(program_, std::span(&in, 1), views);
  if (!done) return Error{done.error()};
  std::vector<std::vector<std::byte>> outputs;  // program_.outputs are in tensor order
  for (const ModelOutput& output : model_->outputs)
    for (size_t i = 0; i < buffers.size(); ++i)
      if (program_.outputs[i].tensor == output.tensor) outputs.push_back(buffers[i]);
  return outputs;
}

}  // namespace shingle
