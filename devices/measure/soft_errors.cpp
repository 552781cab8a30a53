#include "devices/measure/soft_errors.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace shingle {

namespace {

constexpr int bits_of_word = 32;

TileProgram program_of(const Model& model, LayerId layer) {
  const FusedBlock block{.layers = block_layers(model, {layer}, WinogradUse::where_faster),
                         .tiles = {}};
  const TensorId output = model.at(layer).output;
  return tile_program(model, block, {{output, whole(model.at(output).shape)}});
}

void flip_bit(std::span<std::byte> bytes, int64_t word, int bit) {
  const auto place = bytes_of_floats(static_cast<size_t>(word));
  uint32_t bits = 0;
  std::memcpy(&bits, bytes.data() + place, sizeof bits);
  bits ^= uint32_t{1} << bit;
  std::memcpy(bytes.data() + place, &bits, sizeof bits);
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), bytes_of_floats(a.size())) == 0;
}

}  // namespace

SoftErrors::SoftErrors(const Model& model, int threads)
    : model_(&model),
      executor_(std::make_unique<NativeExecutor>(NativeOptions{.threads = threads})),
      weights_(model.layers.size()),
      clean_(model.tensors.size()),
      now_(model.tensors.size()),
      changed_(model.tensors.size(), false) {}

Result<SoftErrors> SoftErrors::make(const Model& model, int threads) {
  SoftErrors made(model, threads);
  if (const Status prepared = made.prepare(); !prepared) return prepared.failure();
  return made;
}

Status SoftErrors::prepare() {
  for (uint32_t layer = 0; layer < model_->layers.size(); ++layer)
    programs_.push_back(program_of(*model_, {layer}));
  if (Status prepared = executor_->prepare(*model_, programs_); !prepared) return prepared;
  for (const NativeExecutor::Weights& weights : executor_->weights())
    weights_[weights.layer.value] = weights.bytes;
  return success();
}

Status SoftErrors::take(WholeInputs inputs) {
  inputs_ = std::move(inputs);
  forget_changes();
  for (uint32_t layer = 0; layer < model_->layers.size(); ++layer) {
    if (Status computed = compute({layer}); !computed) return computed;
    const TensorId made = model_->layers[layer].output;
    std::swap(clean_[made.value], now_[made.value]);
  }
  clean_outputs_ = outputs();
  return success();
}

int64_t SoftErrors::words(Flip::Place place, LayerId layer) const {
  if (place == Flip::Place::weight)
    return std::ssize(weights_[layer.value]) / bytes_of(ElementType::f32);
  return model_->at(model_->at(layer).output).shape.elements();
}

Result<FlipOutcome> SoftErrors::flip(const Flip& flip) {
  assert(flip.word >= 0 && flip.word < words(flip.place, flip.layer));
  assert(flip.bit >= 0 && flip.bit < bits_of_word);
  forget_changes();
  FlipOutcome outcome;
  const Status done =
      flip.place == Flip::Place::weight ? flip_weight(flip, outcome) : flip_map(flip);
  if (!done) return done.failure();
  if (const Status followed = follow({flip.layer.value + 1}); !followed) return followed.failure();
  outcome.other_outputs = std::ranges::any_of(
      model_->outputs, [&](const ModelOutput& output) { return changed_[output.tensor.value]; });
  if (outcome.other_outputs) outcome.outputs = outputs();
  return outcome;
}

Status SoftErrors::flip_weight(const Flip& flip, FlipOutcome& outcome) {
  const std::span<std::byte> weights = weights_[flip.layer.value];
  flip_bit(weights, flip.word, flip.bit);
  outcome.found_by_checksum = !executor_->check_weights(1.0).ok();
  Status computed = compute(flip.layer);
  flip_bit(weights, flip.word, flip.bit);  // nobody else reads them
  if (computed) {
    const TensorId made = model_->at(flip.layer).output;
    changed_[made.value] = !same_bits(clean_[made.value], now_[made.value]);
  }
  return computed;
}

Status SoftErrors::flip_map(const Flip& flip) {
  const TensorId map = model_->at(flip.layer).output;
  now_[map.value] = clean_[map.value];
  flip_bit(std::as_writable_bytes(std::span(now_[map.value])), flip.word, flip.bit);
  changed_[map.value] = true;
  return success();
}

Status SoftErrors::follow(LayerId first) {
  for (uint32_t layer = first.value; layer < model_->layers.size(); ++layer) {
    if (!reads_a_change({layer})) continue;
    if (Status computed = compute({layer}); !computed) return computed;
    const TensorId made = model_->layers[layer].output;
    changed_[made.value] = !same_bits(clean_[made.value], now_[made.value]);
  }
  return success();
}

bool SoftErrors::reads_a_change(LayerId layer) const {
  return std::ranges::any_of(model_->at(layer).inputs,
                             [&](TensorId input) { return changed_[input.value]; });
}

Status SoftErrors::compute(LayerId layer) {
  const TileProgram& program = programs_[layer.value];
  std::vector<ConstTensorView> inputs;
  for (const Slice& slice : program.inputs) inputs.push_back(view_of(slice.tensor));
  const TensorId made = model_->at(layer).output;
  Values& values = now_[made.value];
  const Shape shape = model_->at(made).shape;
  values.resize(static_cast<size_t>(shape.elements()));
  const TensorView output{std::as_writable_bytes(std::span(values)).data(), whole(shape),
                          ElementType::f32};
  return executor_->compute(program, inputs, std::span(&output, 1));
}

ConstTensorView SoftErrors::view_of(TensorId id) const {
  const Tensor& tensor = model_->at(id);
  if (std::ranges::find(model_->inputs, id) != model_->inputs.end())
    return whole_input(*model_, inputs_, id);
  const Values& values = changed_[id.value] ? now_[id.value] : clean_[id.value];
  return {std::as_bytes(std::span(values)).data(), whole(tensor.shape), ElementType::f32};
}

std::vector<SoftErrors::Values> SoftErrors::outputs() const {
  std::vector<Values> all;
  for (const ModelOutput& output : model_->outputs)
    all.push_back(changed_[output.tensor.value] ? now_[output.tensor.value]
                                                : clean_[output.tensor.value]);
  return all;
}

void SoftErrors::forget_changes() { changed_.assign(model_->tensors.size(), false); }

}  // namespace shingle
