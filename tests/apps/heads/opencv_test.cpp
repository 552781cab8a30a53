// Boxes of real networks on real pictures against OpenCV's DNN module.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "apps/client/bare_machine.hpp"
#include "apps/client/session.hpp"
#include "apps/heads/reading.hpp"
#include "apps/pictures/image_bytes.hpp"
#include "apps/vision/media_in.hpp"
#include "opencv_oracle.hpp"
#include "tests/places.hpp"

using namespace shingle;

namespace {

std::string data_folder() { return shared_data(source_folder()); }

bool has_shared_data() {
  if (std::filesystem::exists(data_folder() + "/models")) return true;
  std::puts("skipped: no shared data");
  return false;
}

struct Pair {
  explicit Pair(const std::string& path)
      : file(std::make_unique<ModelFile>(std::move(open_model(path).value()))) {
    reading = choose_reading(*file, {}).value();
    REQUIRE(take_picture(file->model, reading.preparation).ok());
    machine = std::make_unique<BareMachine>(std::move(
        BareMachine::make(file->model, make_executor({.name = "native", .threads = 1}).value())
            .value()));
    oracle = std::make_unique<OpencvOracle>(path, reading);
  }

  std::vector<Detection> ours(const cv::Mat& picture, float min_score) {
    const Model& model = file->model;
    const Shape input = model.at(model.inputs[0]).shape;
    const auto bytes =
        machine->compute(image_bytes(view_of(picture), reading.preparation, input)).value().at(0);
    std::vector<float> box(bytes.size() / sizeof(float));
    std::memcpy(box.data(), bytes.data(), bytes.size());
    const ModelOutput& output = model.outputs[0];
    const std::vector<std::vector<float>> outputs{
        in_file_order(output, model.at(output.tensor).shape, box)};
    return std::get<Detections>(read(reading, {.min_score = min_score}, outputs, size_of(picture)));
  }

  std::vector<Detection> theirs(const cv::Mat& picture, float min_score) {
    return oracle->detections(picture, min_score);
  }

  std::unique_ptr<ModelFile> file;
  Reading reading;
  std::unique_ptr<BareMachine> machine;
  std::unique_ptr<OpencvOracle> oracle;
};

// Every detection that is clear of the threshold has its like on the other side.
void check_found(const std::vector<Detection>& clear, const std::vector<Detection>& all) {
  for (const Detection& wanted : clear)
    CHECK_MESSAGE(has_like(wanted, all), name_of_class(coco_names(), wanted.class_id), " ",
                  wanted.score, " at ", wanted.box.x, " ", wanted.box.y);
}

size_t compare(Pair& pair, const cv::Mat& picture) {
  const float usual = pair.reading.head->usual_min_score;
  const auto ours = pair.ours(picture, usual);
  check_found(ours, pair.theirs(picture, usual - 0.02F));
  check_found(pair.theirs(picture, usual), pair.ours(picture, usual - 0.02F));
  return ours.size();
}

}  // namespace

TEST_CASE("boxes of YOLOX-nano and FastestDet agree with OpenCV's on a real clip and image" *
          doctest::test_suite("long")) {
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
