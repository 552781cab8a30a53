// OpenCV's DNN module as the judge of detections: the same ONNX file, the picture brought to its
// input the long way round (resized, bordered, in float; nothing of apps/picture), and boxes
// decoded from its outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "apps/heads/reading.hpp"
#include "apps/vision/mat_view.hpp"

namespace shingle {

// Real models and clips: $SHINGLE_DATA, else ../shared/data beside the sources.
inline std::string shared_data(const std::string& source_folder) {
  const char* given = std::getenv("SHINGLE_DATA");
  return given != nullptr ? given : source_folder + "/../shared/data";
}

class OpencvOracle {
 public:
  // `reading` is that of the same file by us; it must outlive the oracle.
  OpencvOracle(const std::string& path, const Reading& reading)
      : reading_(reading), net_(cv::dnn::readNetFromONNX(path)) {
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  }

  std::vector<Detection> detections(const cv::Mat& picture, float min_score) {
    const Shape input = reading_.clues.input;
    net_.setInput(blob_of(picture, {input.w, input.h}));
    const cv::Mat out = net_.forward();
    const float* values = out.ptr<float>();
    const std::vector<std::vector<float>> outputs{{values, values + out.total()}};
    return std::get<Detections>(
        read(reading_, {.min_score = min_score}, outputs, size_of(picture)));
  }

 private:
  cv::Mat blob_of(const cv::Mat& picture, cv::Size size) const {
    if (reading_.head != &yolox_head)
      return cv::dnn::blobFromImage(picture, 1.0 / 255.0, size, cv::Scalar(), false, false);
    const bool wide = picture.cols * size.height > picture.rows * size.width;
    const cv::Size fitted(wide ? size.width : picture.cols * size.height / picture.rows,
                          wide ? picture.rows * size.width / picture.cols : size.height);
    cv::Mat small;
    cv::resize(picture, small, fitted, 0, 0, cv::INTER_LINEAR);
    cv::copyMakeBorder(small, small, 0, size.height - fitted.height, 0, size.width - fitted.width,
                       cv::BORDER_CONSTANT, cv::Scalar::all(114));
    return cv::dnn::blobFromImage(small);
  }

  const Reading& reading_;
  cv::dnn::Net net_;
};

// Has `wanted` its like among `all`: same class, IoU > 0.95, score within 0.01?
inline bool has_like(const Detection& wanted, const std::vector<Detection>& all) {
  return std::any_of(all.begin(), all.end(), [&](const Detection& candidate) {
    return candidate.class_id == wanted.class_id &&
           std::abs(candidate.score - wanted.score) < 0.01F &&
           intersection_over_union(candidate.box, wanted.box) > 0.95F;
  });
}

}  // namespace shingle
