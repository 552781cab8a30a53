// ONNX's own backend tests (Debian: libonnx-testdata): outputs are as expected, with and without
// tiles.
#include "bench/measure.hpp"
#include "tests/conformance/report.hpp"

namespace {

constexpr uint64_t seed = 20251121;
constexpr double share_to_pass = 0.95;

}  // namespace

int main(int argc, char** argv) {
  using namespace shingle;
  const bench::CommandLine line = bench::parse(argc, argv);
  const auto data = conformance::installed_tests();
  if (!std::filesystem::exists(data)) {
    std::fprintf(stderr, "bench conformance: no tests in %s; install libonnx-testdata\n",
                 data.c_str());
    return 1;
  }
  const conformance::Report report =
      conformance::run_all(data, seed, line.rounds > 0 ? line.rounds : 8);
  const auto total = static_cast<long long>(report.rows.size());
  const auto passed = static_cast<long long>(report.passed());
  const auto tiled = static_cast<long long>(report.tiled_runs());
  const auto differing = static_cast<long long>(report.differing_bytes());
  std::printf("%s", conformance::table(report).c_str());
  std::printf("%lld tests count, %lld do not; %lld pass (%.1f %%, at least %.0f)\n", total,
              static_cast<long long>(report.left_out), passed,
              100.0 * static_cast<double>(passed) / static_cast<double>(total),
              100.0 * share_to_pass);
  std::printf("%lld runs cut by random plans (seed %llu): %lld differing bytes\n", tiled,
              static_cast<unsigned long long>(seed), differing);
  if (line.json) {
    std::printf(
        "{\"conformance_total\":%lld,\"conformance_pass\":%lld,\"tiled_runs\":%lld,"
        "\"tiled_differing_bytes\":%lld}\n",
        total, passed, tiled, differing);
  }
  const bool enough = static_cast<double>(passed) >= share_to_pass * static_cast<double>(total);
  return enough && differing == 0 && report.surprises() == 0 ? 0 : 1;
}
