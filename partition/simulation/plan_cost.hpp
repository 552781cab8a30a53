// The predicted cost of a plan: the simulation of one frame in four numbers.
#pragma once

#include "partition/simulation/timeline.hpp"

namespace shingle {

Prediction prediction(const Timeline& line);

// One frame alone, from an owner that is not in the cluster. REQUIRES: homes are in the cluster.
Prediction predict(const Model& model, const Cluster& cluster, const Plan& plan);

}  // namespace shingle
