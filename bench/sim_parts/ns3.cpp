// The fluid model of networks held against packets: `fluid_ns3_star`, `fluid_ns3_wifi` (flows),
// `frames_ns3_star`, `frames_ns3_wifi` (frames of real plans, nodes and packets in closed loop),
// `stalls` (closed-loop runs in Wi-Fi cells that end in any other way than with every byte).
//
//   bench-sim-ns3 [--json] [--seed=N] [--only=KEY,...]      15 minutes of two cores at most
//
// Everything is drawn from the seed: rates, stations, radio modes, sizes. An error is
// |fluid - mean| / mean, where the mean is that of shingle-ns3's seeds; a key is the mean of them.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "apps/simulate/network_choice.hpp"
#include "bench/sim_parts/ns3_flows.hpp"
#include "bench/sim_parts/ns3_frames.hpp"
#include "tests/places.hpp"

namespace shingle::bench {
namespace {

constexpr const char* keys = "fluid_ns3_star,fluid_ns3_wifi,frames_ns3_star,frames_ns3_wifi,stalls";

struct Wanted {
  bool json = false;
  uint64_t seed = 1;
  std::string only = keys;
};

Wanted wanted_of(int argc, char** argv) {
  Wanted wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      wanted.json = true;
    } else if (word.starts_with("--seed=")) {
      wanted.seed = std::strtoull(argv[i] + 7, nullptr, 10);
    } else if (word.starts_with("--only=")) {
      wanted.only = word.substr(7);
    } else {
      std::fprintf(stderr,
                   "bench-sim-ns3: unknown option %s; --json, --seed=N and --only=KEY,... "
                   "are known\n",
                   argv[i]);
      std::exit(2);
    }
  }
  must_be_listed("sim-ns3", {.what = "key", .chosen = wanted.only, .known = keys});
  return wanted;
}

// That of the build, which does not lie beside this program.
sim::StartSimulator ns3() {
  const std::string shingle = shingle_program();
  const std::string beside = shingle.substr(0, shingle.rfind('/')) + "/shingle-ns3";
  if (::access(beside.c_str(), X_OK) == 0) ::setenv("SHINGLE_NS3", beside.c_str(), 0);
  return must(network_simulator("ns3"));
}

int run(const Wanted& wanted) {
  const sim::StartSimulator simulator = ns3();
  nlohmann::ordered_json figures;
  const auto part = [&](const char* key, const auto& measure) {
    if (!listed(wanted.only, key)) return;
    const double took = seconds([&] { figures[key] = measure(); });
    std::printf("%s %s (%.0f s)\n", key, figures[key].dump().c_str(), took);
    std::fflush(stdout);
  };
  part("fluid_ns3_star", [&] { return star_flow_error(simulator, wanted.seed); });
  part("fluid_ns3_wifi", [&] { return cell_flow_error(simulator, wanted.seed); });
  part("frames_ns3_star", [&] { return frame_error(simulator, wanted.seed, Wires::star); });
  part("frames_ns3_wifi", [&] { return frame_error(simulator, wanted.seed, Wires::cell); });
  part("stalls", [&] { return stalls(simulator, wanted.seed); });
  if (wanted.json) std::printf("%s\n", figures.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace shingle::bench

int main(int argc, char** argv) {
  return shingle::bench::run(shingle::bench::wanted_of(argc, argv));
}
