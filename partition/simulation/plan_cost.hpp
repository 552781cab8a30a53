// What a plan is said to cost: the simulation of one frame in four figures.
#pragma once

#include "partition/simulation/timeline.hpp"

namespace shingle {

Prediction prediction(const Timeline& line);

// One frame alone, from an owner beside the cluster. REQUIRES: homes are in the cluster.
Prediction predict(const Model& model, const Cluster& cluster, const Plan& plan);

}  // namespace shingle
