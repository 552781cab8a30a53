// The layers by which a machine is measured: each a model of one operator, in shapes as they stand
// in detectors and classifiers: wide and shallow, narrow and deep.
#pragma once

#include <vector>

#include "partition/cluster/node_profile.hpp"

namespace shingle {

struct ProfileTrial {
  WorkKind kind;
  Model model;
};
std::vector<ProfileTrial> profile_trials();

// Whether a kind is charged by its MACs; else by its output's elements.
bool counts_macs(WorkKind kind);

}  // namespace shingle
