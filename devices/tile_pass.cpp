#include "devices/tile_pass.hpp"

#include <algorithm>

#include "devices/arena.hpp"

namespace shingle {

std::optional<PaddedBox> wanted_input(const LayerKernel& kernel, const Region& region) {
  const auto* layer = std::get_if<XnnLayer*>(&kernel);
  if (layer == nullptr) return std::nullopt;
  return (*layer)->input_box(region);
}

namespace {

constexpr size_t nowhere = SIZE_MAX;

// One walk over the program; the pass grows in `pass_`.
class Planner {
 public:
  Planner(const Model& model, const TileProgram& program, const std::vector<LayerKernel>& kernels)
      : model_(model),
        program_(program),
        kernels_(kernels),
        place_of_(model.tensors.size(), nowhere) {}

  TilePass plan() {
    pass_.program = program_;
    place_inputs();
    for (size_t step = 0; step < program_.steps.size(); ++step) add_step(step);
    lay_out_arena();
    for (PassStep& step : pass_.steps) mark_input(step);
    return std::move(pass_);
  }

 private:
  size_t add(Place place) {
    place_of_[place.tensor.value] = pass_.places.size();
    pass_.places.push_back(place);
    return pass_.places.size() - 1;
  }

  void place_inputs() {
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      add({.kind = Place::Kind::input, .index = i, .tensor = program_.inputs[i].tensor});
    }
  }

  size_t place_of_input(TensorId tensor) {
    if (place_of_[tensor.value] != nowhere) return place_of_[tensor.value];
    const bool constant = model_.at(tensor).constant.has_value();
    return add({.kind = constant ? Place::Kind::constant : Place::Kind::absent, .tensor = tensor});
  }

  std::optional<size_t> program_output(TensorId tensor) const {
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.outputs[i].tensor == tensor) return i;
    }
    return std::nullopt;
  }

  void add_step(size_t index) {
    const Step& step = program_.steps[index];
    const Layer& layer = model_.at(step.layer);
    PassStep planned{.layer = step.layer,
                     .kernel = kernels_[index],
                     .region = step.output,
                     .demands = step.inputs,
                     .inputs = {},
                     .output = 0,
                     .padded = false,
                     .own_memory = false,
                     .copied_to = std::nullopt};
    for (TensorId input : layer.inputs) planned.inputs.push_back(place_of_input(input));
    const std::optional<size_t> output = program_output(layer.output);
    if (output && program_.outputs[*output].region == step.output) {
      planned.output = add({.kind = Place::Kind::output, .index = *output, .tensor = layer.output});
    } else {
      planned.output = add({.kind = Place::Kind::arena,
                            .tensor = layer.output,
                            .stored = storage_for(index),
                            .held = step.output});
      planned.copied_to = output;
    }
    pass_.steps.push_back(std::move(planned));
  }

  // The largest box that a reader's kernel wants and that can hold all that is computed; the bare
  // region if there is none.
  PaddedBox storage_for(size_t producer) const {
    const Region& region = program_.steps[producer].output;
    const TensorId tensor = model_.at(program_.steps[producer].layer).output;
    PaddedBox best{region, 0.0F};
    for (size_t i = producer + 1; i < program_.steps.size(); ++i) {
      const Step& reader = program_.steps[i];
      if (model_.at(reader.layer).inputs[0] != tensor) continue;
      const std::optional<PaddedBox> wanted = wanted_input(kernels_[i], reader.output);
      if (!wanted) continue;
      const Region box = hull(wanted->box, region);
      const bool as_wanted = box.x == wanted->box.x && box.c == wanted->box.c;
      if (as_wanted && box.elements() > best.box.elements()) best = {box, wanted->neutral};
    }
    return best;
  }

  void lay_out_arena() {
    std::vector<ArenaRequest> requests;
    std::vector<size_t> places;
    for (size_t i = 0; i < pass_.steps.size(); ++i) {
      const Place& place = pass_.places[pass_.steps[i].output];
      if (place.kind != Place::Kind::arena) continue;
      places.push_back(pass_.steps[i].output);
      requests.push_back({.bytes = place.stored.box.elements() * 4 + xnnpack_extra_bytes,
                          .first_step = i,
                          .last_step = last_reader(pass_.steps[i].output, i)});
    }
    const ArenaLayout layout = lay_out(requests);
    for (size_t i = 0; i < places.size(); ++i) pass_.places[places[i]].offset = layout.offsets[i];
    pass_.arena_bytes = layout.bytes;
  }

  size_t last_reader(size_t place, size_t producer) const {
    size_t last = producer;
    for (size_t i = producer; i < pass_.steps.size(); ++i) {
      const std::vector<size_t>& inputs = pass_.steps[i].inputs;
      if (std::find(inputs.begin(), inputs.end(), place) != inputs.end()) last = i;
    }
    return last;
  }

  // Only rows may differ from what the kernel wants: they lie one behind the other.
  void mark_input(PassStep& step) const {
    const std::optional<PaddedBox> wanted = wanted_input(step.kernel, step.region);
    const Place& place = pass_.places[step.inputs[0]];
    step.own_memory = place.kind == Place::Kind::arena;
    if (!wanted || !step.own_memory) return;
    const Region& box = place.stored.box;
    step.padded = box.x == wanted->box.x && box.c == wanted->box.c && contains(box, wanted->box) &&
                  place.stored.neutral == wanted->neutral;
  }

  const Model& model_;
  const TileProgram& program_;
  const std::vector<LayerKernel>& kernels_;
  std::vector<size_t> place_of_;  // by tensor
  TilePass pass_;
};

}  // namespace

TilePass plan_pass(const Model& model, const TileProgram& program,
                   const std::vector<LayerKernel>& kernels) {
  return Planner(model, program, kernels).plan();
}

bool same_program(const TileProgram& a, const TileProgram& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs && a.steps == b.steps;
}

}  // namespace shingle
