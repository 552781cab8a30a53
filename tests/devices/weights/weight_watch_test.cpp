// Weights that change in memory, and what notices.
#include "devices/weights/weight_watch.hpp"

#include <doctest/doctest.h>

#include <set>

#include "devices/native/native_executor.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

constexpr LayerId first{3}, second{7};

std::vector<std::byte> some_bytes(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  return bytes;
}

void flip(std::span<std::byte> bytes, size_t bit) {
  bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
}

}  // namespace

TEST_CASE("A flipped bit is found in its layer, whichever it is, and no longer once it is back") {
  std::vector<std::byte> a = some_bytes(200'000), b = some_bytes(12);
  WeightWatch watch;
  watch.add(first, a);
  watch.add(second, b);
  CHECK(watch.bytes() == 200'012);
  CHECK_FALSE(watch.look(1.0));
  for (const size_t bit :
       {size_t{0}, size_t{65'536 * 8 - 1}, size_t{65'536 * 8}, a.size() * 8 - 1}) {
    CAPTURE(bit);
    flip(a, bit);
    CHECK(watch.look(1.0) == first);
    flip(a, bit);
    CHECK_FALSE(watch.look(1.0));
  }
  flip(b, 95);
  CHECK(watch.look(1.0) == second);
}

TEST_CASE(
    "Small looks go round: what they were asked for together is looked at, and not more often") {
  std::vector<std::byte> bytes = some_bytes(64 * 1024 * 10);
  WeightWatch watch;
  watch.add(first, bytes);
  flip(bytes, 64 * 1024 * 8 * 9);  // in the last of ten pieces
  int found = 0;
  for (int look = 0; look < 20; ++look) found += watch.look(0.1) ? 1 : 0;
  CHECK(found == 2);
  CHECK_FALSE(watch.look(0.0));  // a piece at least, the first
}

TEST_CASE("The same weights are watched once, and no weights are no trouble") {
  std::vector<std::byte> bytes = some_bytes(100);
  WeightWatch watch;
  CHECK_FALSE(watch.look(1.0));
  watch.add(first, {});
  watch.add(first, bytes);
  watch.add(first, bytes);
  CHECK(watch.bytes() == 100);
}

TEST_CASE("An executor names the layer of any weight that was flipped where its kernels read it") {
  const Model model = networks::make("mobilenetv2", 64).value();
  NativeExecutor executor;
  const std::vector<Map> inputs = random_inputs(model, 3);
  const std::vector<Map> clean = run_whole(executor, model, inputs);
  CHECK(executor.check_weights(1.0).ok());
  std::set<uint32_t> layers;
  for (const NativeExecutor::Weights& weights : executor.weights()) {
    CAPTURE(weights.layer.value);
    layers.insert(weights.layer.value);
    flip(weights.bytes, 30);  // of the first weight's exponent
    const Status sound = executor.check_weights(1.0);
    REQUIRE_FALSE(sound.ok());
    CHECK(sound.error().find("'" + model.at(weights.layer).name + "'") != std::string::npos);
    flip(weights.bytes, 30);
  }
  CHECK(layers.size() > 50);
  CHECK(executor.check_weights(1.0).ok());
  const std::vector<Map> again = run_whole(executor, model, inputs);
  for (size_t i = 0; i < clean.size(); ++i) CHECK(differing_bytes(clean[i], again[i]) == 0);
}

TEST_CASE("What the kernels read is what is watched: a flipped weight changes the outputs") {
  const Model model = networks::make("yolov2_front", 64).value();
  NativeExecutor executor;
  const std::vector<Map> inputs = random_inputs(model, 3);
  const std::vector<Map> clean = run_whole(executor, model, inputs);
  const std::vector<NativeExecutor::Weights> all = executor.weights();
  REQUIRE_FALSE(all.empty());
  flip(all.front().bytes, 31);  // a sign
  const std::vector<Map> wrong = run_whole(executor, model, inputs);
  CHECK(differing_bytes(clean[0], wrong[0]) > 0);
}

}  // namespace shingle::tests
