// Networks as exporters write them today: errors, times and maps beside ONNX Runtime's.
// Each at all opsets at which it can be written, and cut over four nodes: no byte may differ. A
// part of `tools/bench networks` (bench/networks.py).
#include "apps/system/temporary_folder.hpp"
#include "bench/networks_measure.hpp"

namespace {

using namespace shingle;
using namespace shingle::bench;

// Ends the program with status 2 at a name that no network has.
void check_names(std::string_view only) {
  std::string known;
  for (const networks::ExportedName& network : networks::exported_names())
    known += (known.empty() ? "" : ",") + network.name;
  while (!only.empty()) {
    const size_t comma = std::min(only.find(','), only.size());
    if (!listed(known, only.substr(0, comma))) {
      std::fprintf(stderr, "bench networks: there is no network '%s'; there are %s\n",
                   std::string(only.substr(0, comma)).c_str(), known.c_str());
      std::exit(2);
    }
    only.remove_prefix(std::min(comma + 1, only.size()));
  }
}

// A line for each network: its name and the size of its input.
int list() {
  for (const networks::ExportedName& network : networks::exported_names())
    std::printf("%s %d\n", network.name.c_str(), network.usual_size);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const NetworksLine line = parse_networks(argc, argv);
  if (line.list) return list();
  check_names(line.only);
  const TemporaryFolder folder = must(TemporaryFolder::make());
  const std::unique_ptr<OrtPeer> ort = OrtPeer::start();
  NetworksReport report(line);
  NetworkBench bench(ort.get(), folder.path(), line);
  if (!line.memory) print_networks_head();
  for (const networks::ExportedName& network : networks::exported_names()) {
    if (!line.only.empty() && !listed(line.only, network.name)) continue;
    if (line.memory) {
      std::printf("%s\n%s\n", network.name.c_str(), bench.memory(network.name).c_str());
      continue;
    }
    const NetworkFigures figures = bench.measure(network, report);
    print_network(network.name, figures);
    report.add(network.name, figures);
  }
  if (line.memory) return 0;
  report.judge_mean();
  if (line.json) std::printf("%s\n", report.json().c_str());
  return report.passed() ? 0 : 1;
}
