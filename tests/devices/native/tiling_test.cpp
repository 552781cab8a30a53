// The promise that everything stands on: a tile's bits are the whole map's, on each executor.
#include <doctest/doctest.h>

#include <memory>

#include "devices/native/native_executor.hpp"
#include "devices/native/reference.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

constexpr uint64_t seed = 20251121;
const NativeOptions on_xnnpack{.threads = 1, .kernels = NativeOptions::Kernels::xnnpack};

std::string summary(const Model& model) {
  std::string text;
  for (const Layer& layer : model.layers) text += std::string(name_of(layer.op)) + " ";
  return text;
}

// Whole maps once, then tiles of random boxes; all on one executor.
void tiles_must_agree(Executor& executor, const Model& model, networks::Random& random, int tiles) {
  const WinogradUse use =
      random.chance(0.5) ? WinogradUse::wherever_it_fits : WinogradUse::where_faster;
  const std::vector<Map> inputs = random_inputs(model, random.next());
  const TileProgram everything = whole_program(model, use);
  const std::vector<Map> expected = run_whole(executor, model, inputs, use);
  for (int i = 0; i < tiles; ++i) {
    const TileProgram tile = random_tile(random, model, use);
    REQUIRE(executor.prepare(model, std::span(&tile, 1)).ok());
    const std::vector<Map> computed = run(executor, model, tile, inputs);
    for (size_t output = 0; output < computed.size(); ++output) {
      for (size_t j = 0; j < expected.size(); ++j) {
        if (everything.outputs[j].tensor != tile.outputs[output].tensor) continue;
        CAPTURE(to_string(tile.outputs[output].region));
        CAPTURE(model.at(tile.outputs[output].tensor).name);
        CHECK(differing_bytes(computed[output], expected[j]) == 0);
      }
    }
  }
}

template <class MakeExecutor>
void random_networks_must_agree(MakeExecutor make, int networks_count, int tiles) {
  for (int i = 0; i < networks_count; ++i) {
    const uint64_t network_seed = seed + static_cast<uint64_t>(i);
    CAPTURE(network_seed);
    networks::Random random(network_seed);
    const Model model = networks::random_model(random);
    CAPTURE(summary(model));
    const std::unique_ptr<Executor> executor = make();
    tiles_must_agree(*executor, model, random, tiles);
  }
}

}  // namespace

TEST_CASE("On the reference executor random tiles of random networks have the whole maps' bits") {
  random_networks_must_agree([] { return std::make_unique<ReferenceExecutor>(); }, 100, 6);
}

TEST_CASE("On our kernels random tiles of random networks have the whole maps' bits") {
  random_networks_must_agree([] { return std::make_unique<NativeExecutor>(); }, 300, 8);
}

TEST_CASE("On XNNPACK's kernels random tiles of random networks have the whole maps' bits") {
  random_networks_must_agree([] { return std::make_unique<NativeExecutor>(on_xnnpack); }, 300, 8);
}

TEST_CASE("Which kernels compute a layer changes no bits") {
  for (uint64_t i = 0; i < 200; ++i) {
    const uint64_t network_seed = seed + i;
    CAPTURE(network_seed);
    networks::Random random(network_seed);
    const Model model = networks::random_model(random);
    CAPTURE(summary(model));
    const std::vector<Map> inputs = random_inputs(model, network_seed);
    NativeExecutor own, xnnpack(on_xnnpack);
    const std::vector<Map> expected = run_whole(xnnpack, model, inputs);
    const std::vector<Map> computed = run_whole(own, model, inputs);
    for (size_t output = 0; output < expected.size(); ++output) {
      CHECK(differing_bytes(computed[output], expected[output]) == 0);
    }
  }
}

TEST_CASE("Threads change no bits") {
  for (const char* name : {"yolov2_front", "mobilenetv2", "unet"}) {
    CAPTURE(name);
    const Result<Model> model = networks::make(name, 64);
    REQUIRE(model.ok());
    const std::vector<Map> inputs = random_inputs(*model, seed);
    NativeExecutor one({.threads = 1}), two({.threads = 2});
    const std::vector<Map> expected = run_whole(one, *model, inputs);
    const std::vector<Map> computed = run_whole(two, *model, inputs);
    for (size_t output = 0; output < expected.size(); ++output) {
      CHECK(differing_bytes(computed[output], expected[output]) == 0);
    }
  }
}

TEST_CASE("The bits of networks, for other machines to compare (tools/arm64, tools/debian13)") {
  std::vector<Model> models;
  for (uint64_t i = 0; i < 40; ++i) {
    networks::Random random(seed + i);
    models.push_back(networks::random_model(random));
  }
  for (const char* name : {"yolov2_front", "mobilenetv2", "unet", "resnet18"}) {
    models.push_back(networks::make(name, 64).value());
  }
  for (const NativeOptions& options : {NativeOptions{}, on_xnnpack}) {
    std::string digests;
    for (size_t i = 0; i < models.size(); ++i) {
      NativeExecutor executor(options);
      for (const Map& map : run_whole(executor, models[i], random_inputs(models[i], i),
                                      WinogradUse::wherever_it_fits)) {
        digests += to_string(sha256(std::as_bytes(std::span(map.values))));
      }
    }
    CHECK(!digests.empty());
    MESSAGE("digest " << NativeExecutor(options).name() << "/" << short_name(sha256(digests)));
  }
  MESSAGE("class " << NativeExecutor().arithmetic_class());
}

TEST_CASE("The native executor agrees with the reference on random networks within 1e-4") {
  double worst = 0.0;
  for (int i = 0; i < 300; ++i) {
    const uint64_t network_seed = seed + static_cast<uint64_t>(i);
    CAPTURE(network_seed);
    networks::Random random(network_seed);
    const Model model = networks::random_model(random);
    CAPTURE(summary(model));
    const std::vector<Map> inputs = random_inputs(model, network_seed);
    ReferenceExecutor reference;
    NativeExecutor native;
    const WinogradUse use = WinogradUse::wherever_it_fits;
    const std::vector<Map> expected = run_whole(reference, model, inputs, use);
    const std::vector<Map> computed = run_whole(native, model, inputs, use);
    for (size_t output = 0; output < expected.size(); ++output) {
      const double error = relative_error(computed[output], expected[output]);
      CHECK(error < 1e-4);
      worst = std::max(worst, error);
    }
  }
  MESSAGE("worst relative difference: " << worst);
}

}  // namespace shingle::tests
