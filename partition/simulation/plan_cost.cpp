#include "partition/simulation/plan_cost.hpp"

#include <algorithm>

namespace shingle {

Prediction prediction(const Timeline& line) {
  Prediction predicted;
  predicted.latency = line.latency;
  for (const NodeLoad& node : line.nodes) {
    predicted.period = std::max(predicted.period, node.busy);
    predicted.peak_bytes = std::max(predicted.peak_bytes, node.peak_bytes);
  }
  predicted.period = std::max(Duration(1), predicted.period);
  predicted.wire_bytes = line.wire_bytes;
  return predicted;
}

Prediction predict(const Model& model, const Cluster& cluster, const Plan& plan) {
  return prediction(simulate(model, cluster, plan, std::nullopt, {}));
}

}  // namespace shingle
