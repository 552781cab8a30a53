// Real networks with real input on four worker processes: compares raw outputs with the bare
// executor's, and boxes with those of OpenCV's DNN module, and shows how even the shares of work
// are.
#pragma once

#include <algorithm>
#include <cstring>

#include "apps/client/bare_machine.hpp"
#include "apps/client/frame_stream.hpp"
#include "apps/client/local_workers.hpp"
#include "apps/heads/reading.hpp"
#include "apps/pictures/image_bytes.hpp"
#include "apps/run/choose_plan.hpp"
#include "apps/vision/mat_view.hpp"
#include "apps/vision/media_in.hpp"
#include "bench/measure.hpp"
#include "tests/apps/heads/opencv_oracle.hpp"

namespace shingle::bench {

struct RealFigures {
  std::string model;
  int64_t frames = 0, differing_bytes = 0;
  int64_t boxes = 0;
  bool boxes_equal = true;     // from the cluster's outputs and from the bare executor's
  bool opencv_agrees = true;   // every box clear of the threshold has its like, both ways
  double tiled_share = 0.0;    // of the MACs, in blocks of 4 or more tiles
  std::vector<double> shares;  // of the MACs, by worker
};

class RealModel {
 public:
  RealModel(const std::string& program, const std::string& path)
      : file_(std::make_shared<ModelFile>(std::move(must(open_model(path))))),
        reading_(must(choose_reading(*file_, {}))) {
    must(take_picture(file_->model, reading_.preparation));
    const Model& model = file_->model;
    bare_.emplace(
        must(BareMachine::make(model, must(make_executor({.name = "native", .threads = 1})))));
    oracle_.emplace(path, reading_);
    workers_.emplace(must(LocalWorkers::start(
        {.program = program, .count = 4, .models = {path}, .slow = {}, .packed = {}})));
    FrameStreamOptions options;
    options.member.cluster = workers_->cluster();
    options.member.id = workers_->owner();
    options.member.keys = workers_->keys();
    options.member.patience = {local_patience, local_patience};
    options.stream.model = {file_, &model};
    options.stream.rotation = {{must(make_plan(model, equal_nodes(4)))}};
    options.stream.trouble = [this] { return workers_->ended(); };
    stream_ = must(FrameStream::open(std::move(options)));
    figures_.model = path.substr(path.find_last_of('/') + 1);
    figures_.tiled_share = tiled_share(stream_->plan().plan);
  }

  void compare(const cv::Mat& picture) {
    const Model& model = file_->model;
    const Shape input = model.at(model.inputs[0]).shape;
    auto image = std::make_shared<const std::vector<std::byte>>(
        image_bytes(view_of(picture), reading_.preparation, input));
    must(stream_->submit(image));
    const auto whole = must(bare_->compute(*image));
    const auto tiled = must(stream_->next()).outputs;
    for (size_t i = 0; i < whole.size(); ++i)
      figures_.differing_bytes += differing(whole[i], tiled[i]);
    compare_boxes(picture, whole, tiled);
    ++figures_.frames;
  }

  RealFigures figures() {
    const auto& macs = stream_->tally().macs();
    int64_t all = 0;
    for (const int64_t part : macs) all += part;
    figures_.shares.clear();
    for (const int64_t part : macs) {
      figures_.shares.push_back(static_cast<double>(part) /
                                static_cast<double>(std::max<int64_t>(all, 1)));
    }
    return figures_;
  }

 private:
  using Bytes = std::vector<std::byte>;

  static int64_t differing(const Bytes& a, const Bytes& b) {
    int64_t count = a.size() > b.size() ? static_cast<int64_t>(a.size() - b.size())
                                        : static_cast<int64_t>(b.size() - a.size());
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
    return count;
  }

  std::vector<Detection> boxes(const std::vector<Bytes>& outputs, float min_score,
                               PixelSize picture) const {
    const Model& model = file_->model;
    std::vector<std::vector<float>> ordered;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<float> box(floats_in(outputs[i].size()));
      std::memcpy(box.data(), outputs[i].data(), outputs[i].size());
      ordered.push_back(
          in_file_order(model.outputs[i], model.at(model.outputs[i].tensor).shape, box));
    }
    return std::get<Detections>(read(reading_, {.min_score = min_score}, ordered, picture));
  }

  void compare_boxes(const cv::Mat& picture, const std::vector<Bytes>& whole,
                     const std::vector<Bytes>& tiled) {
    const float usual = reading_.head->usual_min_score;
    const float below = usual - 0.02F;
    const auto ours = boxes(tiled, usual, size_of(picture));
    const auto alone = boxes(whole, usual, size_of(picture));
    figures_.boxes += static_cast<int64_t>(ours.size());
    figures_.boxes_equal = figures_.boxes_equal && ours.size() == alone.size();
    for (size_t i = 0; i < std::min(ours.size(), alone.size()); ++i) {
      figures_.boxes_equal = figures_.boxes_equal && ours[i].box == alone[i].box &&
                             ours[i].score == alone[i].score &&
                             ours[i].class_id == alone[i].class_id;
    }
    const auto theirs_below = oracle_->detections(picture, below);
    const auto ours_below = boxes(tiled, below, size_of(picture));
    for (const Detection& box : ours) {
      figures_.opencv_agrees = figures_.opencv_agrees && has_like(box, theirs_below);
    }
    for (const Detection& box : oracle_->detections(picture, usual)) {
      figures_.opencv_agrees = figures_.opencv_agrees && has_like(box, ours_below);
    }
  }

  std::shared_ptr<ModelFile> file_;
  Reading reading_;
  std::optional<BareMachine> bare_;
  std::optional<OpencvOracle> oracle_;
  std::optional<LocalWorkers> workers_;
  std::unique_ptr<FrameStream> stream_;  // before the workers that it asks after
  RealFigures figures_;
};

// Up to `frames` of the shared clip and the shared still. REQUIRES: shared data.
inline RealFigures run_real_model(const std::string& program, const std::string& data,
                                  const std::string& name, int frames) {
  RealModel model(program, data + "/models/" + name);
  auto still = must(MediaInput::open(data + "/images/small-vehicles1.jpeg"));
  model.compare(must(still.next())->image);
  auto clip = must(MediaInput::open(data + "/clips/car-detection.mp4"));
  for (int frame = 0; frame < frames; ++frame) {
    const auto picture = must(clip.next());
    if (!picture) break;
    model.compare(picture->image);
  }
  return model.figures();
}

}  // namespace shingle::bench
