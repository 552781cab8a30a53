#include "apps/model_store.hpp"

#include <doctest/doctest.h>

#include "apps/head.hpp"
#include "apps/model_file.hpp"
#include "tests/apps/scratch_folder.hpp"
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
  const auto found = store.find(sha256(std::string_view(bytes)));
  REQUIRE_MESSAGE(found.ok(), found.error());
  CHECK(found.value()->hash == sha256(std::string_view(bytes)));
}

TEST_CASE("a model that takes pictures is found by the hash that its owner's plan names") {
  const ScratchFolder folder;
  const std::string path = folder.with_text("tiny.onnx", onnx(1));
  for (const Head head : {Head::raw, Head::yolox, Head::fastestdet}) {
    auto owners = open_model(path);
    REQUIRE(take_picture(owners->model, head).ok());
    ModelStore store({path});
    const auto found = store.find(owners->model.hash);
    REQUIRE_MESSAGE(found.ok(), found.error());
    CHECK(found.value()->hash == owners->model.hash);
  }
}

TEST_CASE("files that come or change later are seen") {
  const ScratchFolder folder;
  const std::string first = onnx(1), second = onnx(2);
  ModelStore store({folder.path()});
  CHECK_FALSE(store.find(sha256(std::string_view(first))).ok());
  folder.with_text("a.onnx", first);
  CHECK(store.find(sha256(std::string_view(first))).ok());
  folder.with_text("a.onnx", second + std::string(1, '\0'));
  CHECK_FALSE(store.find(sha256(std::string_view(first))).ok());
}

TEST_CASE("a missing model is told by its hash") {
  const ScratchFolder folder;
  ModelStore store({folder.path()});
  const Hash hash = sha256(std::string_view("something else"));
  CHECK(store.find(hash).error().find(to_string(hash)) != std::string::npos);
}
