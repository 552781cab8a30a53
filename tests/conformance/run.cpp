#include "tests/conformance/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "devices/native/native_executor.hpp"
#include "devices/native/reference.hpp"
#include "partition/readers/onnx/view.hpp"
#include "tests/conformance/frames.hpp"
#include "tests/conformance/rewrite.hpp"
#include "tests/conformance/rule.hpp"
#include "tests/conformance/tiles.hpp"

namespace shingle::conformance {

namespace {

// The tolerances of ONNX's own backend test runner.
constexpr double relative_tolerance = 1e-3, absolute_tolerance = 1e-7;

std::string text_of(const Dims& dims) {
  std::string text;
  for (const int64_t dim : dims) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dim);
  }
  return text.empty() ? "a single number" : text;
}

// The tensors of a data set by their use.
struct Feed {
  std::vector<FedTensor> data;
  std::vector<FedTensor> bound;
};

Feed feed_by(const std::vector<const onnx::Graph*>& rules, const onnx::Graph& graph,
             const DataSet& set) {
  Feed feed;
  const std::vector<const onnx::ValueInfo*> inputs = fed_inputs(graph);
  for (size_t i = 0; i < std::min(inputs.size(), set.inputs.size()); ++i) {
    const bool bound = std::ranges::any_of(
        rules, [&](const onnx::Graph* rule) { return is_parameter(*rule, inputs[i]->name); });
    (bound ? feed.bound : feed.data).push_back({inputs[i]->name, &set.inputs[i]});
  }
  return feed;
}

// `unexpanded`: the graph of one operator that `graph` has written out; null: of none. Its
// parameters are parameters here too, unless nothing else would be left.
Feed feed_of(const onnx::Graph& graph, const onnx::Graph* unexpanded, const DataSet& set) {
  if (unexpanded != nullptr) {
    Feed feed = feed_by({&graph, unexpanded}, graph, set);
    if (!feed.data.empty()) return feed;
  }
  return feed_by({&graph}, graph, set);
}

// Converts a value from the file's order to the model's (y, x, c) order.
std::vector<float> as_map(const Dims& dims, std::span<const float> values) {
  const onnx::View view = onnx::map_view(dims);
  const ModelOutput layout{.name = "",
                           .tensor = {},
                           .dims = dims,
                           .factors = view.factors,
                           .box_axes = view.box,
                           .dim_axes = view.dims};
  // The place of each element in the file. Floats are exact below 2^24.
  std::vector<float> places(values.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(i);
  places = in_file_order(layout, onnx::box_shape(view), places);
  std::vector<float> map(values.size());
  for (size_t i = 0; i < map.size(); ++i) map[static_cast<size_t>(places[i])] = values[i];
  return map;
}

class Run {
 public:
  Run(const onnx::File& file, const onnx::Graph* unexpanded, const std::string& bytes,
      const DataSet& set)
      : set_(set), feed_(feed_of(file.graph, unexpanded, set)) {
    frames_ = frames_of(file, feed_.data, feed_.bound, set.outputs);
    for (const FedTensor& input : feed_.data) rank_ = std::max(rank_, input.tensor->dims.size());
    std::vector<FreeInput> inputs;
    for (const FedTensor& input : feed_.data)
      inputs.push_back({input.name, dims_of_frame(input), input.tensor->type});
    std::vector<BoundInput> constants;
    for (const FedTensor& bound : feed_.bound)
      constants.push_back({bound.name, bound.tensor->encoded});
    bytes_ = rewritten(bytes, inputs, constants, readable_opset(file));
  }

  // `executors`: how many, the native one first.
  Outcome outcome(uint64_t seed, int plans, int executors) {
    Outcome outcome;
    outcome.frames = frames_;
    for (const FedTensor& input : feed_.data) {
      if (input.tensor->floats.empty()) return unsupported("an input has no elements");
    }
    const Result<Model> model =
        read_onnx(std::as_bytes(std::span(bytes_)), {.max_constant_bytes = int64_t{4} << 30});
    if (!model) return unsupported(model.error());
    if (model->inputs.size() != feed_.data.size()) return unsupported("an input is read by nobody");
    for (int kind = 0; kind < executors; ++kind) {
      const std::unique_ptr<Executor> executor = make_executor(kind);
      outcome.why = compare(*executor, *model);
      if (outcome.why.empty() && is_spatial(*model)) {
        outcome.why = cut_up(*executor, *model, seed, plans, outcome);
      }
      if (!outcome.why.empty()) {
        outcome.verdict = Verdict::fail;
        outcome.why = executor->name() + ": " + outcome.why;
        return outcome;
      }
    }
    return outcome;
  }

 private:
  static std::unique_ptr<Executor> make_executor(int kind) {
    if (kind == 0) return std::make_unique<NativeExecutor>();
    return std::make_unique<ReferenceExecutor>();
  }

  Outcome unsupported(const std::string& why) const {
    Outcome outcome{.verdict = Verdict::unsupported, .why = why};
    outcome.frames = frames_;
    return outcome;
  }

  bool batched(const FedTensor& input) const {
    return frames_ > 1 && leads_with(frames_, rank_, input.tensor->dims);
  }

  Dims dims_of_frame(const FedTensor& input) const {
    Dims dims = input.tensor->dims;
    if (batched(input)) dims[0] = 1;
    return dims;
  }

  Maps maps_of_frame(int64_t frame) const {
    Maps maps;
    for (const FedTensor& input : feed_.data) {
      std::span<const float> values = input.tensor->floats;
      if (batched(input)) values = part(values, frame);
      maps.push_back(as_map(dims_of_frame(input), values));
    }
    return maps;
  }

  std::span<const float> part(std::span<const float> values, int64_t frame) const {
    const size_t size = values.size() / static_cast<size_t>(frames_);
    return values.subspan(static_cast<size_t>(frame) * size, size);
  }

  // The first difference from the expected output; empty if there is none.
  std::string compare(Executor& executor, const Model& model) const {
    for (int64_t frame = 0; frame < frames_; ++frame) {
      const Result<Maps> maps = run_whole(executor, model, maps_of_frame(frame));
      if (!maps) return maps.error();
      std::vector<std::vector<float>> ordered;
      for (size_t i = 0; i < model.outputs.size(); ++i) {
        const ModelOutput& output = model.outputs[i];
        ordered.push_back(in_file_order(output, model.at(output.tensor).shape, (*maps)[i]));
      }
      const std::vector<OutputValue> outputs = cut_to_counts(model, ordered);
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (model.outputs[i].is_only_count) continue;
        std::string difference = compare(outputs[i], i, frame);
        if (!difference.empty()) return difference;
      }
    }
    return {};
  }

  std::string compare(const OutputValue& output, size_t index, int64_t frame) const {
    if (index >= set_.outputs.size()) return "the test has no output " + std::to_string(index);
    const TestTensor& expected = set_.outputs[index];
    Dims dims = expected.dims;
    if (frames_ > 1) dims[0] = 1;
    if (output.dims != dims) {
      return "output " + std::to_string(index) + " is " + text_of(output.dims) + " where " +
             text_of(dims) + " is expected";
    }
    const std::vector<float>& values = output.values;
    if (expected.floats.size() != values.size() * static_cast<size_t>(frames_))
      return "output " + std::to_string(index) + " has " + std::to_string(values.size()) +
             " elements, the test's file " + std::to_string(expected.floats.size()) + " of type " +
             std::to_string(expected.type);
    return first_difference(values, part(expected.floats, frame));
  }

  static std::string first_difference(std::span<const float> values,
                                      std::span<const float> expected) {
    for (size_t i = 0; i < values.size(); ++i) {
      const double value = values[i], wanted = expected[i];
      if (value == wanted || (std::isnan(value) && std::isnan(wanted))) continue;
      if (std::fabs(value - wanted) <=
          absolute_tolerance + relative_tolerance * std::fabs(wanted)) {
        continue;
      }
      char text[120];
      std::snprintf(text, sizeof text, "element %zu is %.9g where %.9g is expected", i, value,
                    wanted);
      return text;
    }
    return {};
  }

  std::string cut_up(Executor& executor, const Model& model, uint64_t seed, int plans,
                     Outcome& outcome) const {
    for (int i = 0; i < plans; ++i) {
      const Maps inputs = maps_of_frame(i % frames_);
      const Result<Maps> expected = run_whole(executor, model, inputs);
      if (!expected) return expected.error();
      const uint64_t plan_seed = seed + static_cast<uint64_t>(i);
      const Result<Maps> tiled = run_tiles(executor, model, random_plan(model, plan_seed), inputs);
      if (!tiled) return tiled.error();
      ++outcome.tiled_runs;
      const int64_t differing = differing_bytes(*expected, *tiled);
      outcome.differing_bytes += differing;
      if (differing > 0) {
        return "cut by the plan of seed " + std::to_string(plan_seed) + ", " +
               std::to_string(differing) + " bytes differ";
      }
    }
    return {};
  }

  const DataSet& set_;
  Feed feed_;
  size_t rank_ = 0;
  int64_t frames_ = 1;
  std::string bytes_;
};

}  // namespace

Outcome run_case(const Case& test, uint64_t seed, int plans) {
  const Result<onnx::File> file = decoded(test.bytes);
  if (!file) return {.verdict = Verdict::unsupported, .why = file.error()};
  const Result<onnx::File> unexpanded = decoded(test.unexpanded);  // no nodes if there is none
  const onnx::Graph* operator_graph = unexpanded ? &unexpanded->graph : nullptr;
  if (test.sets.empty()) return {.verdict = Verdict::unsupported, .why = "it has no data"};
  Outcome all;
  const bool network = test.folder == networks_folder;  // too large for plain loops
  for (const DataSet& set : test.sets) {
    const Outcome one = Run(*file, operator_graph, test.bytes, set)
                            .outcome(seed, network ? 1 : plans, network ? 1 : 2);
    all.verdict = one.verdict;
    all.why = one.why;
    all.frames = one.frames;
    all.tiled_runs += one.tiled_runs;
    all.differing_bytes += one.differing_bytes;
    if (one.verdict != Verdict::pass) break;
  }
  return all;
}

}  // namespace shingle::conformance
