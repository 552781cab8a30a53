// Boxes of real networks on real pictures against OpenCV's DNN module.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>

#include "apps/bare_machine.hpp"
#include "apps/head.hpp"
#include "apps/media_in.hpp"
#include "apps/model_file.hpp"
#include "apps/session.hpp"

using namespace shingle;

namespace {

std::string data_folder() {
  const char* wish = std::getenv("SHINGLE_DATA");
  return wish != nullptr ? wish : SHINGLE_SOURCE_DIR "/../shared/data";
}

bool has_shared_data() {
  if (std::filesystem::exists(data_folder() + "/models")) return true;
  std::puts("skipped: no shared data");
  return false;
}

// The blob made the long way round: resized, bordered, in float; nothing of apps/letterbox.
cv::Mat blob_of(const cv::Mat& picture, Head head, cv::Size size) {
  if (head != Head::yolox)
    return cv::dnn::blobFromImage(picture, 1.0 / 255.0, size, cv::Scalar(), false, false);
  const double scale =
      std::min(double(size.width) / picture.cols, double(size.height) / picture.rows);
  const cv::Size fitted(int(picture.cols * scale), int(picture.rows * scale));
  cv::Mat small;
  cv::resize(picture, small, fitted, 0, 0, cv::INTER_LINEAR);
  cv::copyMakeBorder(small, small, 0, size.height - fitted.height, 0, size.width - fitted.width,
                     cv::BORDER_CONSTANT, cv::Scalar::all(114));
  return cv::dnn::blobFromImage(small);
}

struct Pair {
  explicit Pair(const std::string& path)
      : file(std::make_unique<ModelFile>(std::move(open_model(path).value()))),
        net(cv::dnn::readNetFromONNX(path)) {
    head = choose_head("auto", file->model).value();
    REQUIRE(take_picture(file->model, head).ok());
    machine = std::make_unique<BareMachine>(
        std::move(BareMachine::make(file->model, make_executor("xnnpack", 1).value()).value()));
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
  }

  std::vector<Detection> ours(const cv::Mat& picture, float min_score) {
    const Model& model = file->model;
    const Shape input = model.at(model.inputs[0]).shape;
    const auto bytes =
        machine->compute(image_bytes(picture, recipe_of(head).fit, input)).value().at(0);
    std::vector<float> box(bytes.size() / sizeof(float));
    std::memcpy(box.data(), bytes.data(), bytes.size());
    const ModelOutput& output = model.outputs[0];
    const std::vector<std::vector<float>> outputs{
        in_file_order(output, model.at(output.tensor).shape, box)};
    return detect(head, model, {.min_score = min_score}, outputs, picture.size());
  }

  std::vector<Detection> theirs(const cv::Mat& picture, float min_score) {
    const Shape input = file->model.at(file->model.inputs[0]).shape;
    net.setInput(blob_of(picture, head, {input.w, input.h}));
    const cv::Mat out = net.forward();
    const float* values = out.ptr<float>();
    const std::vector<std::vector<float>> outputs{{values, values + out.total()}};
    return detect(head, file->model, {.min_score = min_score}, outputs, picture.size());
  }

  std::unique_ptr<ModelFile> file;
  Head head = Head::raw;
  std::unique_ptr<BareMachine> machine;
  cv::dnn::Net net;
};

// Every detection that is clear of the threshold has its like on the other side.
void check_found(const std::vector<Detection>& clear, const std::vector<Detection>& all) {
  for (const Detection& wanted : clear) {
    const bool found = std::any_of(all.begin(), all.end(), [&](const Detection& candidate) {
      return candidate.class_id == wanted.class_id &&
             std::abs(candidate.score - wanted.score) < 0.01F &&
             intersection_over_union(candidate.box, wanted.box) > 0.95F;
    });
    CHECK_MESSAGE(found, coco_name(wanted.class_id), " ", wanted.score, " at ", wanted.box.x, " ",
                  wanted.box.y);
  }
}

size_t compare(Pair& pair, const cv::Mat& picture) {
  const float usual = usual_min_score(pair.head);
  const auto ours = pair.ours(picture, usual);
  check_found(ours, pair.theirs(picture, usual - 0.02F));
  check_found(pair.theirs(picture, usual), pair.ours(picture, usual - 0.02F));
  return ours.size();
}

}  // namespace

TEST_CASE("boxes of YOLOX-nano and FastestDet agree with OpenCV's on a real clip and image") {
  if (!has_shared_data()) return;
  for (const char* name : {"yolox_nano", "fastestdet_352"}) {
    CAPTURE(name);
    Pair pair(data_folder() + "/models/" + name + ".onnx");
    size_t found = 0;
    auto clip = MediaInput::open(data_folder() + "/clips/car-detection.mp4");
    REQUIRE(clip.ok());
    for (int frame = 0; frame < 100; ++frame) {
      const auto picture = clip->next().value();
      if (frame % 20 == 0) found += compare(pair, picture->image);
    }
    auto image = MediaInput::open(data_folder() + "/images/small-vehicles1.jpeg");
    REQUIRE(image.ok());
    found += compare(pair, image->next().value()->image);
    CHECK(found > 0);
  }
}
