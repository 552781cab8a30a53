#include "apps/models/model_store.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "apps/models/model_file.hpp"
#include "apps/models/take_picture.hpp"
#include "apps/run/choose_plan.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/networks/darknet.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

std::string onnx(uint64_t seed) {
  return networks::to_onnx(networks::make("tiny", 0, seed).value());
}

}  // namespace

TEST_CASE("a model is found by its file's hash, wherever it lies and whatever it is called") {
  const ScratchFolder folder;
  folder.with_text("notes.txt", "no model");
  folder.with_text("broken.onnx", "no model either");
  const std::string bytes = onnx(1);
  folder.with_text("some name.onnx", bytes);
  ModelStore store({folder.path()});
  const auto found = store.find({sha256(std::string_view(bytes)), {}});
  REQUIRE_MESSAGE(found.ok(), found.error());
  CHECK(found.value()->hash == sha256(std::string_view(bytes)));
}

TEST_CASE("a model that takes pictures is found by what its owner's plan says, whatever numbers") {
  const ScratchFolder folder;
  const std::string path = folder.with_text("tiny.onnx", onnx(1));
  ModelStore store({path});
  for (const Preparation& preparation : {Preparation{}, Preparation{.deviation = {1, 1, 1}},
                                         Preparation{.mean = {123.675F, 116.28F, 103.53F},
                                         .deviation = {58.395F, 57.12F, 57.375F}}}) {
    auto owners = open_model(path);
    REQUIRE(take_picture(owners->model, preparation).ok());
    const auto plan = parse_plan(print(make_plan(owners->model, equal_nodes(2)).value()));
    REQUIRE_MESSAGE(plan.ok(), plan.error());
    const auto found = store.find({plan->model, plan->image});
    REQUIRE_MESSAGE(found.ok(), found.error());
    CHECK(found.value()->hash == owners->model.hash);
    CHECK(found.value()->image == owners->model.image);
  }
}

TEST_CASE("numbers that are not those of the hash, or fit no picture, are refused") {
  const ScratchFolder folder;
  const std::string path = folder.with_text("tiny.onnx", onnx(1));
  ModelStore store({path});
  auto owners = open_model(path);
  REQUIRE(take_picture(owners->model, Preparation{}).ok());
  const auto found = [&](std::vector<float> scale, std::vector<float> offset) {
    const Hash of = sha256(std::string_view(onnx(1)));
    return store.find({owners->model.hash, ImageInput{of, std::move(scale), std::move(offset)}});
  };
  const std::vector<float> scale(3, 1.0F / 255.0F), offset(3, 0.0F);
  CHECK(found(scale, offset).ok());
  CHECK(found({scale[0], scale[0] * 2, scale[0]}, offset).error().find("another model") !=
        std::string::npos);
  CHECK(found({scale[0]}, {0.0F}).error().find("3 channels") != std::string::npos);
  CHECK_FALSE(found(scale, {}).ok());
  CHECK_FALSE(store.find({owners->model.hash, {}}).ok());  // the function's hash is no file's
}

TEST_CASE("files that come or change later are seen") {
  const ScratchFolder folder;
  const std::string first = onnx(1), second = onnx(2);
  ModelStore store({folder.path()});
  CHECK_FALSE(store.find({sha256(std::string_view(first)), {}}).ok());
  folder.with_text("a.onnx", first);
  CHECK(store.find({sha256(std::string_view(first)), {}}).ok());
  folder.with_text("a.onnx", second + std::string(1, '\0'));
  CHECK_FALSE(store.find({sha256(std::string_view(first)), {}}).ok());
}

TEST_CASE("a missing model is told by its hash") {
  const ScratchFolder folder;
  ModelStore store({folder.path()});
  const Hash hash = sha256(std::string_view("something else"));
  CHECK(store.find({hash, {}}).error().find(to_string(hash)) != std::string::npos);
}

TEST_CASE("a Darknet cfg and the weights beside it are one model, found by the hash of both") {
  const ScratchFolder folder;
  const networks::DarknetFiles files = networks::make_darknet("tiny", 32).value();
  folder.with_text("lonely.cfg", files.cfg);
  const std::string cfg = folder.with_text("tiny.cfg", files.cfg);
  folder.with_text("tiny.weights", files.weights);
  auto owners = open_model(cfg);
  REQUIRE_MESSAGE(owners.ok(), owners.error());
  CHECK(owners->detections.size() == 1);
  const ModelHash whole = owners->model.hash;
  REQUIRE(take_picture(owners->model, Preparation{}).ok());
  ModelStore store({folder.path()});
  for (const ModelName& name :
       {ModelName{whole, {}}, ModelName{owners->model.hash, owners->model.image}}) {
    const auto found = store.find(name);
    REQUIRE_MESSAGE(found.ok(), found.error());
    CHECK(found.value()->hash == name.hash);
  }

  SUBCASE("other weights make it another model") {
    folder.with_text("tiny.weights",
                     networks::make_darknet("tiny", 32, 2).value().weights + "1234");
    CHECK_FALSE(store.find({whole, {}}).ok());
  }
}

TEST_CASE("weights of another name go with the cfg that they are given behind") {
  const ScratchFolder folder;
  const networks::DarknetFiles files = networks::make_darknet("tiny", 32).value();
  const std::string cfg = folder.with_text("net.cfg", files.cfg);
  const std::string weights = folder.with_text("epoch_90.weights", files.weights);
  ModelStore store({folder.with_text("a.onnx", onnx(1)), cfg, weights});
  const auto opened = open_model({cfg, weights});
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  CHECK(store.find({opened->model.hash, {}}).ok());
  CHECK(store.find({sha256(std::string_view(onnx(1))), {}}).ok());
}

TEST_CASE("weights behind a folder whose name ends as a cfg's belong to nothing in it") {
  const ScratchFolder folder;
  const std::string odd = folder.path() + "/old.cfg";
  std::filesystem::create_directory(odd);
  const std::string weights = folder.with_text("epoch_90.weights", "no model");
  ModelStore store({odd, weights});
  const Hash hash = sha256(std::string_view("something else"));
  CHECK(store.find({hash, {}}).error().find("its model files (epoch_90.weights)") !=
        std::string::npos);
}

TEST_CASE("weights of a model are views into the mapped file") {
  const ScratchFolder folder;
  const networks::DarknetFiles files = networks::make_darknet("tiny", 32).value();
  const std::string cfg = folder.with_text("net.cfg", files.cfg);
  folder.with_text("net.weights", files.weights);
  const auto opened = open_model(cfg);
  REQUIRE(opened.ok());
  // The last convolution is not normalised: nothing of it is folded.
  const FloatView last = opened->model.constants.back();
  const auto bytes = opened->weights->bytes();
  CHECK(last.data >= bytes.data());
  CHECK(last.data + 4 * last.count <= bytes.data() + bytes.size());
}
