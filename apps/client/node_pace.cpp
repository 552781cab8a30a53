#include "apps/client/node_pace.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

namespace shingle {
namespace {

constexpr double slowest = 1000.0;

double in_ms(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) * 1e-6; }

}  // namespace

Slowdown slowdown_of_file(const std::string& path) {
  if (path.empty()) return {};
  return [path] {
    std::array<char, 32> text{};
    std::ifstream file(path);
    file.read(text.data(), text.size());
    double factor = 1.0;
    const auto number = std::from_chars(text.data(), text.data() + file.gcount(), factor);
    return number.ec == std::errc() && factor >= 1.0 && factor <= slowest ? factor : 1.0;
  };
}

Pace pace_of(const ClusterFile& cluster, NodeId id) {
  for (const ClusterFileNode& node : cluster.nodes)
    if (node.id == id && node.pace) return {.gflops = node.gflops};
  return {};
}

std::unique_ptr<Executor> NodePace::paced(std::unique_ptr<Executor> executor) {
  if (!slows()) return executor;
  return std::make_unique<PacedExecutor>(std::move(executor), pacer_);
}

void NodePace::report(nlohmann::ordered_json& json) const {
  if (!slows()) return;
  const PaceReport& report = pacer_.report();
  json["pace"] = {{"gflops", pace_.gflops},
                  {"tiles", report.tiles},
                  {"overruns", report.overruns},
                  {"macs", report.macs},
                  {"charged_ms", in_ms(report.charged)},
                  {"computing_ms", in_ms(report.computing)},
                  {"most_debt_ms", in_ms(report.most_debt)}};
}

}  // namespace shingle
