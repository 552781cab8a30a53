// Networks as exporters write them today: errors, times and maps beside ONNX Runtime's.
// Each at all opsets at which it can be written, and cut over four nodes: no byte may differ. A
// part of `tools/bench networks` (bench/networks.py).
#include "apps/system/temporary_folder.hpp"
#include "bench/networks_measure.hpp"

namespace {

using namespace shingle;
using namespace shingle::bench;

std::string names() {
  std::string all;
  for (const networks::ExportedName& network : networks::exported_names())
    all += (all.empty() ? "" : ",") + network.name;
  return all;
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
  must_be_listed("networks", {.what = "network", .chosen = line.only, .known = names()});
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
