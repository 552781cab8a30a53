#include "partition/simulation/plan_cost.hpp"

#include <algorithm>

namespace shingle {

Prediction prediction(const Timeline& line) {
  Prediction predicted;
  predicted.latency_ns = line.latency_ns;
  for (const NodeLoad& node : line.nodes) {
    predicted.period_ns = std::max(predicted.period_ns, node.busy_ns);
    predicted.peak_bytes = std::max(predicted.peak_bytes, node.peak_bytes);
  }
  predicted.period_ns = std::max<int64_t>(1, predicted.period_ns);
  predicted.wire_bytes = line.wire_bytes;
  return predicted;
}

Prediction predict(const Model& model, const Cluster& cluster, const Plan& plan) {
  return prediction(simulate(model, cluster, plan, std::nullopt, {}));
}

}  // namespace shingle
