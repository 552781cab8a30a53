#include "apps/client/node_layers.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "apps/client/frame_stream.hpp"
#include "devices/executor/view.hpp"
#include "devices/executor/wrapped_executor.hpp"

namespace shingle {
namespace {

// Keeps the inputs of the tiles that are computed here.
class Listener final : public WrappedExecutor {
 public:
  Listener(std::unique_ptr<Executor> inside, std::vector<LayerMap>& heard)
      : WrappedExecutor(std::move(inside)), heard_(heard) {}

  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) hear(program.inputs[i], inputs[i]);
    return inside().compute(program, inputs, outputs);
  }

 private:
  void hear(const Slice& slice, const ConstTensorView& view) {
    for (size_t layer = 0; layer < heard_.size(); ++layer) {
      LayerMap& map = heard_[layer];
      if (model().layers[layer].output != slice.tensor ||
          map.region.elements() > slice.region.elements())
        continue;
      map = {slice.region, std::vector<float>(static_cast<size_t>(slice.region.elements()))};
      copy(view, {reinterpret_cast<std::byte*>(map.values.data()), slice.region, ElementType::f32},
           slice.region);
    }
  }

  std::vector<LayerMap>& heard_;  // only the compute thread uses it until the frame is delivered
};

bool is_output(const Model& model, TensorId tensor) {
  return std::any_of(model.outputs.begin(), model.outputs.end(),
                     [&](const ModelOutput& output) { return output.tensor == tensor; });
}

// The first layer that reads this layer's output.
std::optional<size_t> reader_of(const Model& model, size_t layer) {
  for (size_t i = layer + 1; i < model.layers.size(); ++i) {
    const auto& inputs = model.layers[i].inputs;
    if (std::find(inputs.begin(), inputs.end(), model.layers[layer].output) != inputs.end())
      return i;
  }
  return std::nullopt;
}

Plan plan_of_round(const Model& model, const NodeQuestion& question,
                   const std::vector<bool>& at_node) {
  Plan plan = layer_by_layer(model, question.self);
  for (FusedBlock& block : plan.blocks) {
    const bool asked =
        std::any_of(block.layers.begin(), block.layers.end(),
                    [&](const BlockLayer& layer) { return at_node[layer.id.value]; });
    for (Tile& tile : block.tiles) tile.home = asked ? question.node : question.self;
  }
  return plan;
}

// Computes a frame with every tile at its home. Idle nodes may borrow tiles: then it tries again.
Result<DeliveredFrame> frame_of_home(FrameStream& stream, const WholeInputs& inputs) {
  FrameInputs frame_inputs;
  for (const std::vector<std::byte>& input : inputs)
    frame_inputs.tensors.push_back(std::make_shared<const std::vector<std::byte>>(input));
  constexpr int attempts = 5;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const uint64_t before = stream.tally().all_thefts();
    if (const Status taken = stream.submit(frame_inputs); !taken) return Error{taken.error()};
    auto frame = stream.next();
    if (!frame || stream.tally().all_thefts() == before) return frame;
  }
  return Error{"other nodes borrowed its tiles in every attempt; ask again while they are busy"};
}

Status run_round(const std::shared_ptr<const Model>& model, const WholeInputs& inputs,
                 const NodeQuestion& question, const std::vector<bool>& at_node,
                 std::vector<LayerMap>& maps) {
  auto executor = make_executor(question.executor);
  if (!executor) return Error{executor.error()};
  std::vector<LayerMap> heard(model->layers.size());
  auto stream = FrameStream::open(FrameStreamOptions{
      .member = {.cluster = question.cluster,
                 .id = question.self,
                 .executor = std::make_unique<Listener>(std::move(*executor), heard),
                 .keys = question.keys,
                 .insecure = question.insecure,
                 .steals = false},
      .stream = {.model = model,
                 .rotation = {{plan_of_round(*model, question, at_node)}},
                 .open_frames = 1}});
  if (!stream) return Error{stream.error()};
  auto frame = frame_of_home(**stream, inputs);
  if (!frame) return Error{frame.error()};
  stream->reset();  // no thread writes to `heard` after this
  for (size_t layer = 0; layer < maps.size(); ++layer)
    if (at_node[layer]) maps[layer] = std::move(heard[layer]);
  for (size_t i = 0; i < model->outputs.size(); ++i) {
    const TensorId tensor = model->outputs[i].tensor;
    for (size_t layer = 0; layer < maps.size(); ++layer) {
      if (!at_node[layer] || model->layers[layer].output != tensor) continue;
      const std::vector<std::byte>& bytes = frame->outputs[i];
      maps[layer] = {whole(model->at(tensor).shape), std::vector<float>(floats_in(bytes.size()))};
      std::memcpy(maps[layer].values.data(), bytes.data(), bytes.size());
    }
  }
  return success();
}

}  // namespace

std::vector<std::vector<bool>> question_rounds(const Model& model) {
  const size_t count = model.layers.size();
  std::vector<std::vector<bool>> rounds;
  std::vector<bool> shown(count, false);
  while (std::find(shown.begin(), shown.end(), false) != shown.end()) {
    std::vector<bool> at_node(count, false), here(count, false);
    for (size_t layer = 0; layer < count; ++layer) {
      if (shown[layer] || here[layer]) continue;
      at_node[layer] = shown[layer] = true;
      const auto reader = reader_of(model, layer);
      if (reader && !is_output(model, model.layers[layer].output)) here[*reader] = true;
    }
    rounds.push_back(std::move(at_node));
  }
  return rounds;
}

Plan layer_by_layer(const Model& model, NodeId home) {
  PlanOptions options{.cut_after = {}, .grid = {1, 1}};
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer)
    options.cut_after.push_back(LayerId{layer});
  Cluster cluster;
  cluster.nodes.push_back({.id = home});
  return grid_plan(model, cluster, options);
}

Result<std::vector<LayerMap>> node_layer_maps(std::shared_ptr<const Model> model,
                                              const WholeInputs& inputs,
                                              const NodeQuestion& question) {
  std::vector<LayerMap> maps(model->layers.size());
  for (const std::vector<bool>& at_node : question_rounds(*model))
    if (const Status done = run_round(model, inputs, question, at_node, maps); !done)
      return Error{"node " + std::to_string(question.node.value) + ": " + done.error()};
  return maps;
}

}  // namespace shingle
