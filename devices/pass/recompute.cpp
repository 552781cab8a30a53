#include "devices/pass/recompute.hpp"

#include <algorithm>

namespace shingle {

namespace {

class Graph {
 public:
  Graph(const Model& model, const TileProgram& program, const std::vector<FusedStep>& fused)
      : maker_(model.tensors.size(), nobody),
        readers_(fused.size()),
        follows_from_(fused.size(), std::vector<bool>(fused.size(), false)) {
    for (size_t i = 0; i < fused.size(); ++i) {
      for (const TensorId input : inputs_of(model, program, fused[i])) {
        const size_t made_by = maker_[input.value];
        if (made_by != nobody) join(made_by, i);
      }
      outputs_.push_back(model.at(program.steps[fused[i].last()].layer).output);
      maker_[outputs_.back().value] = i;
    }
  }

  size_t size() const { return outputs_.size(); }
  TensorId output(size_t step) const { return outputs_[step]; }
  bool follows(size_t step, size_t from) const { return follows_from_[step][from]; }

  // Readers of the step's map that also follow from another of its readers.
  std::vector<size_t> late_readers(size_t step) const {
    std::vector<size_t> late;
    for (const size_t reader : readers_[step]) {
      const bool is_late = std::any_of(readers_[step].begin(), readers_[step].end(),
                                       [&](size_t other) { return follows(reader, other); });
      if (is_late) late.push_back(reader);
    }
    return late;
  }

 private:
  static constexpr size_t nobody = SIZE_MAX;

  static std::vector<TensorId> inputs_of(const Model& model, const TileProgram& program,
                                         const FusedStep& fused) {
    std::vector<TensorId> inputs = model.at(program.steps[fused.main].layer).inputs;
    if (fused.addition) {
      const Layer& addition = model.at(program.steps[*fused.addition].layer);
      inputs.push_back(addition.inputs[fused.added_input]);
    }
    return inputs;
  }

  void join(size_t from, size_t step) {
    readers_[from].push_back(step);
    follows_from_[step][from] = true;
    for (size_t i = 0; i < from; ++i) {
      if (follows_from_[from][i]) follows_from_[step][i] = true;
    }
  }

  std::vector<size_t> maker_;                    // by tensor
  std::vector<TensorId> outputs_;                // by step
  std::vector<std::vector<size_t>> readers_;     // by step
  std::vector<std::vector<bool>> follows_from_;  // [step][earlier step]
};

}  // namespace

std::vector<size_t> steps_with_late_readers(const Model& model, const TileProgram& program,
                                            const std::vector<FusedStep>& fused) {
  const Graph graph(model, program, fused);
  std::vector<size_t> found;
  for (size_t i = 0; i < graph.size(); ++i) {
    if (!graph.late_readers(i).empty()) found.push_back(i);
  }
  return found;
}

Recomputed recompute(const Model& model, const TileProgram& program,
                     const std::vector<FusedStep>& fused, const std::vector<size_t>& sources) {
  const Graph graph(model, program, fused);
  Recomputed result{.steps = {}, .late = {}, .before = fused.size()};
  for (size_t i = 0; i < graph.size(); ++i) {
    const bool again = std::any_of(sources.begin(), sources.end(), [&](size_t source) {
      return i == source || graph.follows(source, i);
    });
    if (again) result.steps.push_back(i);
  }
  for (const size_t source : sources) {
    for (const size_t reader : graph.late_readers(source)) {
      result.late.push_back({reader, graph.output(source)});
      result.before = std::min(result.before, reader);
    }
  }
  return result;
}

int64_t macs_again(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const Recomputed& again) {
  int64_t sum = 0;
  for (const size_t step : again.steps) {
    const Step& main = program.steps[fused[step].main];
    sum += macs(model, main.layer, main.output);
  }
  return sum;
}

}  // namespace shingle
