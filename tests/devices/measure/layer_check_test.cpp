// Where two executors part, and by how much.
#include "devices/measure/layer_check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "devices/native/native_executor.hpp"
#include "devices/native/reference.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::tests {

namespace {

// The real executor, but for one layer's map, of which one value is a unit in the last place off.
class OffByOne final : public Executor {
 public:
  explicit OffByOne(LayerId layer) : layer_(layer) {}
  std::string name() const override { return "off"; }
  std::string arithmetic_class() const override { return "off"; }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    model_ = &model;
    return real_.prepare(model, programs);
  }
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    const Status computed = real_.compute(program, inputs, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (program.outputs[i].tensor != model_->at(layer_).output) continue;
      auto* values = reinterpret_cast<float*>(outputs[i].data);
      values[3] = std::nextafter(values[3], 100.0F);
    }
    return computed;
  }
  Granule granule(const Model& model, LayerId id) const override {
    return real_.granule(model, id);
  }
  Memory memory() const override { return real_.memory(); }

 private:
  LayerId layer_;
  const Model* model_ = nullptr;
  ReferenceExecutor real_;
};

std::vector<LayerDifference> check(const Model& model, CheckedSide a, CheckedSide b) {
  const std::vector<float> input = networks::random_input(model.at(model.inputs[0]).shape, 5);
  const auto bytes = std::as_bytes(std::span(input));
  const WholeInputs inputs{std::vector<std::byte>(bytes.begin(), bytes.end())};
  const auto result = check_layers(model, inputs, a, b);
  REQUIRE(result.ok());
  return *result;
}

}  // namespace

TEST_CASE("Values are counted by how many units in the last place they are apart") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = NAN;
  const std::vector<float> expected{1.0F, 1.0F, 1.0F, -0.0F, 2.0F, infinity, nan, nan};
  const float next = std::nextafter(1.0F, 2.0F);
  const std::vector<float> value{1.0F, next, std::nextafter(next, 2.0F), 0.0F, 3.0F, infinity,
                                 nan,  1.0F};
  const Difference apart = difference(value, expected);
  CHECK(apart.values == 8);
  CHECK(apart.ulps == std::array<int64_t, 6>{4, 1, 1, 0, 0, 2});
  CHECK(apart.differing() == 4);
  CHECK(apart.largest == std::numeric_limits<double>::infinity());
  const Difference small =
      difference(std::vector<float>{3.0F, 4.5F}, std::vector<float>{3.0F, 4.0F});
  CHECK(small.largest == doctest::Approx(0.5));
  CHECK(small.rms == doctest::Approx(0.1));
}

TEST_CASE("The layer whose map is one unit off is the only one that differs") {
  const Model model = networks::make("tiny", 32).value();
  const LayerId wrong{1};
  ReferenceExecutor right;
  OffByOne off(wrong);
  const auto layers = check(model, {off}, {right});
  REQUIRE(layers.size() == model.layers.size());
  for (const LayerDifference& layer : layers) {
    CHECK(layer.difference.differing() == (layer.layer == wrong ? 1 : 0));
    CHECK(layer.difference.ulps[1] == (layer.layer == wrong ? 1 : 0));
  }
}

TEST_CASE("Native and reference stay within rounding on every layer, Winograd or not") {
  const Model model = networks::make("yolov2_front", 96).value();
  for (const WinogradUse use : {WinogradUse::never, WinogradUse::where_faster}) {
    NativeExecutor native;
    ReferenceExecutor reference;
    const auto layers = check(model, {native, use}, {reference});
    CHECK(layers.size() == model.layers.size());
    for (const LayerDifference& layer : layers) CHECK(layer.difference.rms < 1e-5);
    CHECK(layers.back().difference.differing() > 0);
  }
}

}  // namespace shingle::tests
