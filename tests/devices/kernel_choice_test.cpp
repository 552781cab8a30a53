// Kernels chosen by measurement: another choice changes no byte, and one is measured once.
#include "devices/kernel_choice.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "devices/native_executor.hpp"
#include "tests/devices/scratch.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

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

// Says at every other reading that little time went by, else much: whoever is measured first (ours)
// is slow, or fast.
KernelChoices::Clock clock_for(bool ours_slow) {
  return [ours_slow, time = std::chrono::nanoseconds(0), turn = 0]() mutable {
    // Readings come in threes: before ours, between the two, behind XNNPACK's.
    const bool after_ours = turn % 3 == 1, after_theirs = turn % 3 == 2;
    if (after_ours) time += std::chrono::milliseconds(ours_slow ? 9 : 1);
    if (after_theirs) time += std::chrono::milliseconds(ours_slow ? 1 : 9);
    ++turn;
    return time;
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

TEST_CASE("Whichever kernel is measured as the faster, the bytes are the same") {
  const Scratch folder;
  const std::string file = folder.path() + "/kept/kernels.txt";
  const Model model = networks::make("resnet18", 64).value();
  const std::vector<Map> expected = computed(model, {});
  for (const int threads : {1, 2}) {
    for (const bool ours_slow : {true, false}) {
      std::filesystem::remove(file);
      must_be_equal(
          computed(model,
                   {.threads = threads, .kernel_choices = file, .clock = clock_for(ours_slow)}),
          expected);
      const std::string kept = text_of(file);
      CHECK(lines_with(kept, ours_slow ? "xnnpack " : "own ") >= 4);
      CHECK(lines_with(kept, ours_slow ? "own " : "xnnpack ") == 0);
      // Known choices are not measured again.
      const auto broken = []() -> std::chrono::nanoseconds {
        FAIL("it looked at a clock");
        return {};
      };
      must_be_equal(computed(model, {.threads = threads, .kernel_choices = file, .clock = broken}),
                    expected);
      CHECK(text_of(file) == kept);
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
  for (const std::string& damaged :
       {std::string(), std::string("shingle kernels 9\nxnnpack 1 1 what\n"),
        first + "xnnpack\nown -5 3 x\nxnnpack 99999999999999999999 1 x\n\n\n" +
            std::string(5000, 'x'),
        whole.substr(0, whole.size() / 2)}) {
    std::ofstream(file, std::ios::trunc) << damaged;
    must_be_equal(computed(model, {.kernel_choices = file}), expected);
  }
  must_be_equal(computed(model, {.kernel_choices = folder.path()}), expected);
}

}  // namespace shingle::tests
