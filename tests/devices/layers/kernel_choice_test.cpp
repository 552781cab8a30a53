// Kernels chosen by measurement: another choice changes no byte, and one is measured once.
#include "devices/layers/kernel_choice.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "devices/native/native_executor.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/scratch.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

// Blocks that no kernel has for every layer of the file, however its blocks were measured: a line
// is "blocks", three sizes, two times and the layer.
std::string with_impossible_blocks(const std::string& text) {
  std::istringstream lines(text);
  std::string changed, line, word;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> word;
    const bool of_blocks = word == "blocks";
    const bool of_layer = of_blocks || word == "own" || word == "xnnpack";
    for (int size = 0; of_blocks && size < 3; ++size) words >> word;
    std::string rest;
    if (of_layer) std::getline(words, rest);
    changed += of_blocks ? "" : line + "\n";
    if (of_layer) changed += "blocks 33 -1 5000" + rest + "\n";
  }
  return changed;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t lines_with(const std::string& text, const std::string& beginning) {
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text.compare(at, beginning.size(), beginning) == 0) ++lines;
    if (text.find('\n', at) == std::string::npos) break;
  }
  return lines;
}

// Whatever is measured takes a time of its own, told by the seed: any candidate may win.
KernelChoices::Clock clock_for(uint64_t seed) {
  return [random = networks::Random(seed), time = std::chrono::nanoseconds(0)]() mutable {
    return time += std::chrono::microseconds(random.between(1, 9000));
  };
}

std::vector<Map> computed(const Model& model, const NativeOptions& options) {
  NativeExecutor executor(options);
  return run_whole(executor, model, random_inputs(model, 3));
}

void must_be_equal(const std::vector<Map>& a, const std::vector<Map>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK(differing_bytes(a[i], b[i]) == 0);
}

}  // namespace

TEST_CASE("Whatever is measured as the fastest, the bytes are the same, and it is measured once" *
          doctest::test_suite("long")) {
  const Scratch folder;
  const std::string file = folder.path() + "/kept/kernels.txt";
  const Model resnet = networks::make("resnet18", 64).value();
  const Model unet = networks::make("unet", 64).value();  // has transposed convolutions
  size_t own = 0, xnnpack = 0, usual = 0, cut = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const Model& model = seed <= 4 ? resnet : unet;
    const std::vector<Map> expected = computed(model, {});
    const int threads = seed % 2 == 0 ? 2 : 1;
    std::filesystem::remove(file);
    must_be_equal(
        computed(model, {.threads = threads, .kernel_choices = file, .clock = clock_for(seed)}),
        expected);
    const std::string kept = text_of(file);
    own += lines_with(kept, "own ");
    xnnpack += lines_with(kept, "xnnpack ");
    usual += lines_with(kept, "blocks 0 0 0 ");
    cut += lines_with(kept, "blocks ") - lines_with(kept, "blocks 0 0 0 ");
    // Known choices are not measured again.
    const auto broken = []() -> std::chrono::nanoseconds {
      FAIL("it looked at a clock");
      return {};
    };
    must_be_equal(computed(model, {.threads = threads, .kernel_choices = file, .clock = broken}),
                  expected);
    CHECK(text_of(file) == kept);
  }
  for (const size_t lines : {own, xnnpack, usual, cut}) CHECK(lines > 0);
  CHECK(text_of(file).find("direct transposed 2x2 stride 2x2 ") != std::string::npos);
}

TEST_CASE("Every way to cut a layer gives the bytes of the usual one") {
  networks::Random random(5);
  for (const bool winograd : {false, true}) {
    for (int round = 0; round < 12; ++round) {
      CAPTURE(winograd);
      CAPTURE(round);
      const Shape in{random.between(20, 60), random.between(20, 60), random.between(1, 40)};
      const int32_t kernel = winograd ? 3 : random.between(1, 3);
      const Model model = convolution_model(in,
                                            {.y = square(kernel),
                                             .x = square(kernel),
                                             .outputs = random.between(1, 90),
                                             .activation = {}},
                                            random.next());
      const TileProgram program =
          whole_program(model, winograd ? WinogradUse::wherever_it_fits : WinogradUse::never);
      const Step& step = program.steps[0];
      MemoryAccount account;
      PackingRoom room{random.chance(0.5) ? int64_t{1} << 24 : 0};
      NativeLayer layer(model, step.layer, step.algorithm, step.output.c, room, PackedStore(""),
                        account);
      std::vector<std::unique_ptr<ThreadScratch>> scratch;
      scratch.push_back(std::make_unique<ThreadScratch>(account));
      const ThreadPool pool(1);
      const Map input = random_map(in, random.next());
      const auto outputs = [&](const KernelBlocks& blocks) {
        layer.cut(blocks);
        layer.reserve(step.output, false, *scratch[0]);
        Map output{step.output,
                   std::vector<float>(static_cast<size_t>(step.output.elements()), NAN)};
        layer.run({.input = std::as_const(input).view(),
                   .held = input.region,
                   .output = output.view(),
                   .region = step.output,
                   .added = {},
                   .activation = {},
                   .scratch = scratch,
                   .pool_of_threads = pool});
        return output;
      };
      const Map expected = outputs({});
      std::vector<KernelBlocks> ways = layer.ways_to_cut(step.output);
      ways.push_back({.batch = 1, .tiles = 1, .depth = 1});
      for (const KernelBlocks& way : ways) CHECK(differing_bytes(outputs(way), expected) == 0);
    }
  }
}

TEST_CASE("A file of choices that is damaged, foreign or a folder costs a measurement, no byte") {
  const Scratch folder;
  const Model model = networks::make("resnet18", 32).value();
  const std::vector<Map> expected = computed(model, {});
  const std::string file = folder.path() + "/kernels.txt";
  must_be_equal(computed(model, {.kernel_choices = file}), expected);
  const std::string whole = text_of(file);
  REQUIRE(whole.find('\n') != std::string::npos);
  const std::string first = whole.substr(0, whole.find('\n') + 1);
  const std::string impossible = with_impossible_blocks(whole);
  REQUIRE(impossible != whole);
  for (const std::string& damaged :
       {std::string(), std::string("shingle kernels 9\nxnnpack 1 1 what\n"),
        first + "xnnpack\nown -5 3 x\nxnnpack 99999999999999999999 1 x\n\n\n" +
            std::string(5000, 'x'),
        first + "blocks\nblocks 1 2\n", impossible, whole.substr(0, whole.size() / 2)}) {
    std::ofstream(file, std::ios::trunc) << damaged;
    must_be_equal(computed(model, {.kernel_choices = file}), expected);
  }
  must_be_equal(computed(model, {.kernel_choices = folder.path()}), expected);
}

}  // namespace shingle::tests
