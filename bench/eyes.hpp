// A detector that looks at pictures on this machine alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/client/bare_machine.hpp"
#include "apps/drone/slices/cut.hpp"
#include "apps/drone/slices/merge.hpp"
#include "apps/heads/reading.hpp"
#include "apps/pictures/image_bytes.hpp"
#include "apps/vision/mat_view.hpp"
#include "devices/native/native_executor.hpp"

namespace shingle::bench {

inline constexpr Thresholds photograph_thresholds{.min_score = 0.02F, .max_overlap = 0.45F};

// A model with an executor that is prepared for it.
class Eyes {
 public:
  explicit Eyes(const std::string& path) : file_(open_model(path).value()) {
    reading_ = choose_reading(file_, {}).value();
    take_picture(file_.model, reading_.preparation).value();
    machine_ = std::make_unique<BareMachine>(
        BareMachine::make(file_.model, std::make_unique<NativeExecutor>()).value());
  }

  const Reading& reading() const { return reading_; }
  Shape input() const { return file_.model.at(file_.model.inputs[0]).shape; }

  // The whole image, scaled to the input as `shingle run` does it.
  std::vector<Detection> look(const cv::Mat& image) { return std::get<Detections>(find(image)); }

  Finding find(const cv::Mat& image) {
    const auto bytes = image_bytes(view_of(image), reading_.preparation, input());
    std::vector<std::vector<float>> outputs;
    const auto computed = machine_->compute(bytes).value();
    for (size_t i = 0; i < computed.size(); ++i) {
      const float* values = reinterpret_cast<const float*>(computed[i].data());
      const ModelOutput& output = file_.model.outputs[i];
      outputs.push_back(in_file_order(output, file_.model.at(output.tensor).shape,
                                      {values, floats_in(computed[i].size())}));
    }
    return read(reading_, photograph_thresholds, outputs, size_of(image));
  }

  // The whole image, shrunk by area.
  std::vector<Detection> look_by_area(const cv::Mat& picture) {
    const drone::CutImage whole = drone::whole_picture(picture, reading_.preparation.fit, input());
    auto found = look(whole.image);
    for (Detection& each : found) each.box = drone::in_picture(each.box, whole);
    return found;
  }

  // Slices that leave nothing out, at a scale of so many pixels of the picture to one of the input.
  std::vector<Detection> look_closely(const cv::Mat& picture, double shrink) {
    const drone::SliceGeometry geometry{picture.cols, picture.rows, input().w, input().h, shrink};
    std::vector<drone::SliceFinding> found;
    for (const drone::PictureSlice& slice : drone::full_cover(geometry)) {
      const drone::CutImage cut =
          drone::cut_out(picture, slice, geometry, reading_.preparation.fill);
      auto boxes = look(cut.image);
      for (Detection& each : boxes) each.box = drone::in_picture(each.box, cut);
      found.push_back({slice, std::move(boxes)});
    }
    return drone::merged(found, geometry, photograph_thresholds.max_overlap);
  }

 private:
  ModelFile file_;
  Reading reading_;
  std::unique_ptr<BareMachine> machine_;
};

}  // namespace shingle::bench
