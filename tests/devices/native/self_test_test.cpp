// The self-test passes where tiles are exact, and catches an executor whose tiles are not.
#include "devices/native/self_test.hpp"

#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"

#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

// Adds the least bit to the first value of every output that does not begin at the map's corner.
class Flawed final : public Executor {
 public:
  std::string name() const override { return "flawed"; }
  std::string arithmetic_class() const override { return "flawed"; }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    return inner_->prepare(model, programs);
  }
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    Status done = inner_->compute(program, inputs, outputs);
    if (program.outputs[0].region.y.begin > 0) *outputs[0].data ^= std::byte{1};
    return done;
  }
  Granule granule(const Model&, LayerId) const override { return {}; }
  Memory memory() const override { return {}; }

 private:
  std::unique_ptr<Executor> inner_ = make_executor(false);
};

}  // namespace

TEST_CASE("Both executors pass the self-test, each time with the same digest") {
  for (const bool native : {false, true}) {
    const Result<Hash> first = self_test(*make_executor(native));
    const Result<Hash> second = self_test(*make_executor(native));
    REQUIRE_MESSAGE(first.ok(), (first ? "" : first.error()));
    CHECK(*first == *second);
  }
}

TEST_CASE("The arithmetic class names the bits, which our kernels and XNNPACK's share") {
  const std::string name = NativeExecutor().arithmetic_class();
  CAPTURE(name);
  CHECK(name.starts_with("f32/"));
  CHECK(name.find("unsound") == std::string::npos);
  CHECK(name == NativeExecutor().arithmetic_class());
  const NativeOptions on_xnnpack{.threads = 1, .kernels = NativeOptions::Kernels::xnnpack};
  CHECK(name == NativeExecutor(on_xnnpack).arithmetic_class());
}

TEST_CASE("An executor whose tiles differ in one bit is caught, and the layer named") {
  Flawed flawed;
  const Result<Hash> digest = self_test(flawed);
  REQUIRE(!digest.ok());
  CAPTURE(digest.error());
  CHECK(digest.error().find("'flawed'") != std::string::npos);
  CHECK(digest.error().find("'dense 3x3'") != std::string::npos);
}

}  // namespace shingle::tests
