// `shingle model check` and `shingle run` of a file that takes 1xHxWx3, as TensorFlow's do.
#include <doctest/doctest.h>

#include <filesystem>

#include "apps/models/open_sizes.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/channels_last.hpp"

using namespace shingle;
using networks::ChannelOrder;

namespace {

// The scores that one picture makes on two workers, as bytes.
std::string scores(const ScratchFolder& folder, const std::string& name, ChannelOrder order) {
  const std::string model = folder.with_text(name + ".onnx", networks::keras_network(order, false));
  const std::string raw = folder / name;
  Program run({"run", model, image_in(folder), "--head", "raw", "--workers", "2", "--verify",
               "--raw-out", raw});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  CHECK(has(run.out(), "identical to one machine: yes (1 of 1 frames)"));
  const std::filesystem::directory_iterator files(raw);
  return contents(files->path());
}

}  // namespace

TEST_CASE("a file with the channels last takes pictures, and makes of them what its twin makes" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string last = scores(folder, "last", ChannelOrder::last);
  CHECK(last.size() == 5 * sizeof(float));
  CHECK(last == scores(folder, "first", ChannelOrder::first));
  Program check({"model", "check", folder / "last.onnx"});
  CHECK_MESSAGE(check.end() == "exit code 0", check.err());
  CHECK(has(check.out(), "takes pictures: yes, 24x32x3"));
  CHECK_FALSE(has(check.out(), "NCHW"));
}

TEST_CASE("an input is known to have the channels last by its sizes, open ones too") {
  const auto input = [](const std::vector<int64_t>& sizes) {
    OnnxInput one;
    for (const int64_t size : sizes) one.dims.push_back({.size = size, .symbol = {}});
    return one;
  };
  CHECK(has_channels_last(input({1, 224, 224, 3})));
  CHECK(has_channels_last(input({0, 0, 0, 3})));
  CHECK_FALSE(has_channels_last(input({1, 3, 224, 224})));
  CHECK_FALSE(has_channels_last(input({1, 3, 4, 3})));
  CHECK_FALSE(has_channels_last(input({1, 224, 3})));
}
