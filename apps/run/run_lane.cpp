#include "apps/run/run_lane.hpp"

#include <cassert>

#include "apps/vision/picture.hpp"

namespace shingle {
namespace {

constexpr size_t verified_at_once = 32;  // of YOLOX-nano 416: 55 MB of inputs and outputs

std::vector<std::vector<float>> in_file_order(const Model& model,
                                              const std::vector<std::vector<std::byte>>& outputs) {
  std::vector<std::vector<float>> ordered;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::span box(reinterpret_cast<const float*>(outputs[i].data()),
                        outputs[i].size() / sizeof(float));
    const ModelOutput& output = model.outputs[i];
    ordered.push_back(shingle::in_file_order(output, model.at(output.tensor).shape, box));
  }
  return ordered;
}

FrameInputs inputs_of(const RunModel& run, const cv::Mat& picture) {
  const auto shared = [](std::vector<std::byte> bytes) {
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  };
  const Model& model = run.file->model;
  const Shape shape = model.at(model.inputs[run.inputs.picture]).shape;
  return run.inputs.with(
      shared(image_bytes(picture, run.reading.preparation, shape)),
      shared(size_bytes(place(run.reading.preparation.fit, picture.size(), shape), shape)));
}

}  // namespace

bool RunLane::has_room() const {
  const bool verifies = parts_.verifier != nullptr;
  return parts_.stream.has_room() &&
         (!verifies || unverified_.size() + pending() < verified_at_once);
}

Status RunLane::submit(uint64_t frame, Picture picture) {
  assert(takes(frame) && has_room());
  Submitted next{.frame = frame, .picture = std::move(picture), .size = {}, .inputs = {}};
  next.size = next.picture.image.size();
  next.inputs = inputs_of(parts_.model, next.picture.image);
  if (const Status taken = parts_.stream.submit(next.inputs); !taken) return taken;
  if (parts_.verifier == nullptr) next.inputs = {};
  if (!parts_.keeps_pictures) next.picture.image.release();
  submitted_.push_back(std::move(next));
  return success();
}

Result<LaneResult> RunLane::next() {
  auto frame = parts_.stream.next();
  if (!frame) return frame.failure();
  return finished(std::move(*frame));
}

Result<std::optional<LaneResult>> RunLane::poll(Duration longest) {
  auto frame = parts_.stream.poll(longest);
  if (!frame) return frame.failure();
  if (!frame->has_value()) return std::optional<LaneResult>();
  return std::optional(finished(std::move(**frame)));
}

LaneResult RunLane::finished(DeliveredFrame frame) {
  Submitted from = std::move(submitted_.front());
  submitted_.pop_front();
  auto outputs = in_file_order(parts_.model.file->model, frame.outputs);
  FrameResult result{
      .frame = from.frame,
      .name = from.picture.name,
      .model = parts_.model.name,
      .milliseconds = static_cast<double>(frame.took.count()) / 1e6,
      .finding = frame.late ? Finding(Unread{})
                            : read(parts_.model.reading, parts_.thresholds, outputs, from.size),
      .late = frame.late};
  return {std::move(result), std::move(outputs), std::move(from.picture), std::move(from.inputs),
          std::move(frame.outputs)};
}

void RunLane::reported(LaneResult result) {
  ++counts_.frames;
  counts_.late += result.frame.late ? 1 : 0;
  if (parts_.verifier != nullptr && !result.frame.late)
    unverified_.push_back({std::move(result.inputs), std::move(result.bytes)});
}

Status RunLane::verify() {
  for (const Unverified& frame : unverified_) {
    std::vector<std::span<const std::byte>> inputs;
    for (const FrameInputs::Bytes& tensor : frame.inputs.tensors) inputs.push_back(*tensor);
    const auto alone = parts_.verifier->compute(inputs);
    if (!alone) return alone.failure();
    ++counts_.compared;
    if (*alone == frame.outputs) ++counts_.identical;
  }
  unverified_.clear();
  return success();
}

}  // namespace shingle
