// ONNX's own backend tests (Debian's libonnx-testdata: the one installed here, and Debian 13's,
// which tools/onnx-tests fetches): outputs are as expected, with and without tiles.

#include "bench/first_line.hpp"
#include "bench/measure.hpp"
#include "tests/conformance/report.hpp"
#include "tests/places.hpp"

namespace {

using namespace shingle;

constexpr uint64_t seed = 20251121;
constexpr double share_to_pass = 0.95;

struct Totals {
  long long counted = 0, passed = 0, tiled = 0, differing = 0, surprises = 0;
};

double share(const Totals& totals) {
  return totals.counted == 0
             ? 0.0
             : static_cast<double>(totals.passed) / static_cast<double>(totals.counted);
}

bool good(const Totals& totals) {
  return share(totals) >= share_to_pass && totals.differing == 0 && totals.surprises == 0;
}

Totals run(const char* name, const std::filesystem::path& data, int plans) {
  const conformance::Report report = conformance::run_all(data, seed, plans);
  const Totals totals{.counted = static_cast<long long>(report.rows.size()),
                      .passed = static_cast<long long>(report.passed()),
                      .tiled = static_cast<long long>(report.tiled_runs()),
                      .differing = static_cast<long long>(report.differing_bytes()),
                      .surprises = static_cast<long long>(report.surprises())};
  std::printf("%s (%s)\n%s", name, data.c_str(), conformance::table(report).c_str());
  std::printf("%lld tests count, %lld do not; %lld pass (%.1f %%, at least %.0f)\n", totals.counted,
              static_cast<long long>(report.not_counted()), totals.passed, 100.0 * share(totals),
              100.0 * share_to_pass);
  std::printf("%lld runs cut by random plans (seed %llu): %lld differing bytes\n\n", totals.tiled,
              static_cast<unsigned long long>(seed), totals.differing);
  return totals;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::CommandLine line = bench::parse(argc, argv);
  const int plans = line.rounds > 0 ? line.rounds : 8;
  const std::filesystem::path data = conformance::installed_tests();
  const std::filesystem::path newer =
      bench::first_line((source_folder() + "/tools/onnx-tests").c_str());
  if (!std::filesystem::exists(data) || !std::filesystem::exists(newer)) {
    std::fprintf(stderr, "bench conformance: no tests in %s; install libonnx-testdata%s\n",
                 data.c_str(), newer.empty() ? ", and mmdebstrap for those of Debian 13" : "");
    return 1;
  }
  const Totals here = run("as installed", data, plans);
  const Totals latest = run("Debian 13", newer, plans);
  if (line.json) {
    std::printf(
        "{\"conformance_total\":%lld,\"conformance_pass\":%lld,\"conformance_22_total\":%lld,"
        "\"conformance_22_pass\":%lld,\"tiled_runs\":%lld,\"tiled_differing_bytes\":%lld}\n",
        here.counted, here.passed, latest.counted, latest.passed, here.tiled + latest.tiled,
        here.differing + latest.differing);
  }
  return good(here) && good(latest) ? 0 : 1;
}
