#include "sim/tensors.hpp"

#include <cassert>
#include <cstring>

#include "sim/contents.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

namespace {

Bytes bytes_for(Shape shape, ElementType type) {
  return Bytes(static_cast<size_t>(shape.elements() * bytes_of(type)));
}

}  // namespace

Bytes random_tensor(Shape shape, ElementType type, uint64_t seed) {
  Bytes bytes = bytes_for(shape, type);
  Random random(seed);
  if (type == ElementType::u8) {
    for (std::byte& value : bytes) value = static_cast<std::byte>(random.next());
    return bytes;
  }
  for (size_t i = 0; i < bytes.size(); i += bytes_of_floats(size_t{1})) {
    const auto value = static_cast<float>(2.0 * random.uniform() - 1.0);
    std::memcpy(&bytes[i], &value, sizeof value);
  }
  return bytes;
}

Result<Outcome> whole_run(const Model& model, const FrameKey& frame, Executor& executor) {
  const TileProgram program = whole_program(model);
  const Status prepared = executor.prepare(model, {&program, 1});
  if (!prepared) return Error{prepared.error()};
  std::vector<Bytes> frames;
  Outcome results;
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;
  for (const Slice& input : program.inputs) {
    const Tensor& tensor = model.at(input.tensor);
    frames.push_back(random_tensor(tensor.shape, tensor.type, frame_id(frame, input.tensor)));
    inputs.push_back({frames.back().data(), whole(tensor.shape), tensor.type});
  }
  for (const Slice& output : program.outputs) {
    const Tensor& tensor = model.at(output.tensor);
    Bytes& bytes = results[output.tensor];
    bytes = bytes_for(tensor.shape, tensor.type);
    outputs.push_back({bytes.data(), whole(tensor.shape), tensor.type});
  }
  const Status computed = executor.compute(program, inputs, outputs);
  if (!computed) return Error{computed.error()};
  return results;
}

TensorStore::TensorStore(NodeId node, std::unique_ptr<Executor> executor)
    : node_(node), executor_(std::move(executor)) {}

TensorView TensorStore::open(const LoadedPlan& plan, const CanvasKey& canvas) {
  return canvases_.open(canvas, canvas_region(plan, node_, canvas),
                        plan.types[canvas.tensor.value]);
}

void TensorStore::capture(const LoadedPlan& plan, const FrameKey& frame) {
  for (const TensorId input : plan.inputs) {
    const Shape shape = plan.shapes[input.value];
    const Bytes bytes = random_tensor(shape, plan.types[input.value], frame_id(frame, input));
    paste(plan, {frame, Place::frame, input, {}}, whole(shape), bytes);
  }
}

Bytes TensorStore::read(const CanvasKey& canvas, const Region& region) const {
  const TensorView* source = canvases_.find(canvas);
  assert(source != nullptr);
  Bytes bytes = bytes_for(region.shape(), source->type);
  copy_region(as_const(*source), {bytes.data(), region, source->type}, region);
  return bytes;
}

void TensorStore::paste(const LoadedPlan& plan, const CanvasKey& canvas, const Region& region,
                        const Bytes& bytes) {
  const TensorView target = open(plan, canvas);
  assert(bytes.size() == static_cast<size_t>(region.elements() * bytes_of(target.type)));
  copy_region({bytes.data(), region, target.type}, target, region);
}

std::string TensorStore::compute(const LoadedPlan& plan, const Model& model,
                                 const Compute& compute) {
  const FusedBlock& block = plan.plan.blocks[block_of(plan.plan, compute.tile)];
  const TileProgram program = tile_program(model, block, tile(plan.plan, compute.tile).outputs);
  const Status prepared = executor_->prepare(model, {&program, 1});
  if (!prepared) return prepared.error();
  const TileId tile_of_canvas = compute.place == Place::lent ? compute.tile : TileId{};
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;
  for (const Slice& input : program.inputs)
    inputs.push_back(
        as_const(*canvases_.find({compute.key, compute.place, input.tensor, tile_of_canvas})));
  for (const Slice& output : program.outputs)
    outputs.push_back(open(plan, {compute.key, compute.place, output.tensor, tile_of_canvas}));
  const Status computed = executor_->compute(program, inputs, outputs);
  return computed ? "" : computed.error();
}

int64_t TensorStore::differing_bytes(const LoadedPlan& plan, const FrameKey& frame,
                                     const Outcome& expected) const {
  int64_t count = 0;
  for (const TensorId output : plan.outputs) {
    const CanvasKey canvas{frame, Place::outcome, output, {}};
    const Bytes found = read(canvas, whole(plan.shapes[output.value]));
    const Bytes& wanted = expected.at(output);
    assert(found.size() == wanted.size());
    for (size_t i = 0; i < found.size(); ++i) count += found[i] != wanted[i] ? 1 : 0;
  }
  return count;
}

}  // namespace shingle::sim
