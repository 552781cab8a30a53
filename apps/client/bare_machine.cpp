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
  return compute(std::span(&input, 1));
}

Result<std::vector<std::vector<std::byte>>> BareMachine::compute(
    std::span<const std::span<const std::byte>> inputs) {
  assert(inputs.size() == model_->inputs.size());
  std::vector<ConstTensorView> read;  // those that the program reads, in its order
  for (const Slice& slice : program_.inputs) {
    const Tensor& source = model_->at(slice.tensor);
    const auto place = std::find(model_->inputs.begin(), model_->inputs.end(), slice.tensor);
    assert(place != model_->inputs.end());
    const std::span<const std::byte> bytes =
        inputs[static_cast<size_t>(place - model_->inputs.begin())];
    assert(std::ssize(bytes) == source.shape.elements() * bytes_of(source.type));
    read.push_back({bytes.data(), whole(source.shape), source.type});
  }
  std::vector<std::vector<std::byte>> buffers;
  std::vector<TensorView> views;
  for (const Slice& slice : program_.outputs) {
    const Shape shape = model_->at(slice.tensor).shape;
    buffers.emplace_back(static_cast<size_t>(bytes_of(shape, ElementType::f32)));
    views.push_back({buffers.back().data(), whole(shape), ElementType::f32});
  }
  const Status done = executor_->compute(program_, read, views);
  if (!done) return Error{done.error()};
  std::vector<std::vector<std::byte>> outputs;  // program_.outputs are in tensor order
  for (const ModelOutput& output : model_->outputs)
    for (size_t i = 0; i < buffers.size(); ++i)
      if (program_.outputs[i].tensor == output.tensor) outputs.push_back(buffers[i]);
  return outputs;
}

}  // namespace shingle
