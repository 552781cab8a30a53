#include "apps/run/run_lane.hpp"

#include <cassert>

#include "apps/pictures/image_bytes.hpp"
#include "apps/vision/mat_view.hpp"

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
      shared(image_bytes(view_of(picture), run.reading.preparation, shape)),
      shared(size_bytes(place(run.reading.preparation.fit, size_of(picture), shape), shape)));
}

}  // namespace

bool RunLane::has_room() const {
  const bool verifies = parts_.verifier != nullptr;
  return unsent_.empty() && parts_.stream.has_room() &&
         (!verifies || unverified_inputs_ + pending() < verified_at_once);
}

Status RunLane::submit(uint64_t frame, Picture picture, std::vector<cv::Mat> images) {
  assert(has_room() && !images.empty());
  Begun next{.inputs = images.size(), .since = std::chrono::steady_clock::now()};
  next.result.frame.frame = frame;
  next.result.frame.name = picture.name;
  next.result.frame.model = parts_.model.name;
  next.result.picture = std::move(picture);
  if (!parts_.keeps_pictures) next.result.picture.image.release();
  begun_.push_back(std::move(next));
  for (cv::Mat& image : images) unsent_.push_back(std::move(image));
  return send();
}

// As many inputs as there is room for.
Status RunLane::send() {
  while (!unsent_.empty() && parts_.stream.has_room()) {
    const cv::Mat image = std::move(unsent_.front());
    unsent_.pop_front();
    Sent next{.size = size_of(image), .inputs = inputs_of(parts_.model, image)};
    if (const Status taken = parts_.stream.submit(next.inputs); !taken) return taken;
    if (parts_.verifier == nullptr) next.inputs = {};
    sent_.push_back(std::move(next));
  }
  return success();
}

Result<LaneResult> RunLane::next() {
  while (true) {
    if (const Status sent = send(); !sent) return sent.failure();
    auto frame = parts_.stream.next();
    if (!frame) return frame.failure();
    if (auto result = finished(std::move(*frame))) return std::move(*result);
  }
}

Result<std::optional<LaneResult>> RunLane::poll(Duration longest) {
  while (true) {
    if (const Status sent = send(); !sent) return sent.failure();
    auto frame = parts_.stream.poll(longest);
    if (!frame) return frame.failure();
    if (!frame->has_value()) return std::optional<LaneResult>();
    if (auto result = finished(std::move(**frame))) return result;
  }
}

std::optional<LaneResult> RunLane::finished(DeliveredFrame frame) {
  const Sent from = std::move(sent_.front());
  sent_.pop_front();
  Begun& begun = begun_.front();
  LaneResult& result = begun.result;
  LaneOutput output{.outputs = in_file_order(parts_.model.file->model, frame.outputs),
                    .inputs = from.inputs,
                    .bytes = std::move(frame.outputs)};
  result.frame.late |= frame.late;
  if (!frame.late)
    result.findings.push_back(
        read(parts_.model.reading, parts_.thresholds, output.outputs, from.size));
  result.computed.push_back(std::move(output));
  if (result.computed.size() < begun.inputs) return std::nullopt;
  // Of one input as the stream counts it.
  std::chrono::nanoseconds took = frame.took;
  if (begun.inputs > 1) took = std::chrono::steady_clock::now() - begun.since;
  result.frame.milliseconds = static_cast<double>(took.count()) / 1e6;
  if (result.frame.late) result.findings.clear();
  LaneResult whole = std::move(result);
  begun_.pop_front();
  return whole;
}

void RunLane::reported(LaneResult result) {
  ++counts_.frames;
  counts_.late += result.frame.late ? 1 : 0;
  if (parts_.verifier == nullptr || result.frame.late) return;
  unverified_inputs_ += result.computed.size();
  unverified_.push_back(std::move(result.computed));
}

Status RunLane::verify() {
  for (const std::vector<LaneOutput>& picture : unverified_) {
    bool is_identical = true;
    for (const LaneOutput& each : picture) {
      std::vector<std::span<const std::byte>> inputs;
      for (const FrameInputs::Bytes& tensor : each.inputs.tensors) inputs.push_back(*tensor);
      const auto alone = parts_.verifier->compute(inputs);
      if (!alone) return alone.failure();
      is_identical &= *alone == each.bytes;
    }
    ++counts_.compared;
    counts_.identical += is_identical ? 1 : 0;
  }
  unverified_.clear();
  unverified_inputs_ = 0;
  return success();
}

}  // namespace shingle
