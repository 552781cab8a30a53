// The real models of the shared data folder, if it is there.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "partition/model/demand.hpp"
#include "partition/readers/onnx.hpp"
#include "tests/places.hpp"

using namespace shingle;
using Dims = std::vector<int64_t>;

namespace {

// The file's bytes; prints a message and returns nothing if the shared data is not there.
std::string shared_model(const char* name) {
  const char* folder = std::getenv("SHINGLE_DATA");
  const std::filesystem::path root =
      folder != nullptr ? folder : source_folder() + "/../shared/data";
  std::ifstream file(root / "models" / name, std::ios::binary);
  if (!file) {
    std::cout << "skipped: no shared data\n";
    return {};
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// MACs of layers of which a tile needs the whole input.
int64_t macs_off_tiles(const Model& model) {
  int64_t total = 0;
  for (uint32_t i = 0; i < model.layers.size(); ++i) {
    if (is_spatially_local(model, model.layers[i])) continue;
    total += macs(model, LayerId{i}, whole(model.at(model.layers[i].output).shape));
  }
  return total;
}

int count(const Model& model, std::string_view kind) {
  int total = 0;
  for (const Layer& layer : model.layers) total += name_of(layer.op) == kind ? 1 : 0;
  return total;
}

}  // namespace

TEST_CASE("YOLOX-nano: 3549 boxes of 85 values, all its work can be tiled") {
  const std::string bytes = shared_model("yolox_nano.onnx");
  if (bytes.empty()) return;
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
  CHECK(defects(*model).empty());
  REQUIRE(model->outputs.size() == 1);
  CHECK(model->outputs[0].dims == Dims{1, 3549, 85});
  CHECK(model->at(model->inputs[0]).shape == Shape{416, 416, 3});
  CHECK(macs_off_tiles(*model) == 0);
  CHECK(count(*model, "StridedSlice") == 4);  // the focus layer
  CHECK(count(*model, "Rearrange") == 3);     // the three maps become rows of boxes
  CHECK(count(*model, "Elementwise") == 0);   // every activation was merged into its layer
  CHECK(model->owned.empty());
}

TEST_CASE("FastestDet: one map of 85 channels, every channel shuffle stays within its region") {
  const std::string bytes = shared_model("fastestdet_352.onnx");
  if (bytes.empty()) return;
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
  CHECK(defects(*model).empty());
  REQUIRE(model->outputs.size() == 1);
  CHECK(model->outputs[0].dims == Dims{1, 85, 22, 22});
  CHECK(count(*model, "Rearrange") == 0);
  CHECK(count(*model, "StridedSlice") == 26);  // the halves of 13 shuffles
  for (const Layer& layer : model->layers) {
    CAPTURE(layer.name);
    CHECK(is_spatially_local(*model, layer));
  }
}
