// The layers that are timed to measure a machine. Each is a model of one operator, in shapes as in
// detectors and classifiers: wide and shallow, narrow and deep.
#pragma once

#include <vector>

#include "partition/cluster/node_profile.hpp"

namespace shingle {

struct ProfileTrial {
  WorkKind kind;
  Model model;
};
std::vector<ProfileTrial> profile_trials();

// Is a kind charged by its MACs? Otherwise by the elements of its output.
bool counts_macs(WorkKind kind);

}  // namespace shingle
