// What is run to find out the cost of each kind of layer.
//
// A tile copies its input into the executor's arena and its output out of it. In a network most
// layers do neither. So a trial has two models, of which the longer one goes on for a few layers;
// the difference of their times is that of these layers alone:
//
//   shorter   input -> layer -> output
//   longer    input -> layer -> layer -> layer -> layer -> output
//
// Deep layers have more weights than a cache holds, and chains of them do, too: then a layer's time
// contains that of fetching its weights.
//
// Even so a layer is slower among others, whose maps and weights drive its own out of the caches.
// So a network of all kinds tells by how much: the costs are scaled until it takes the time that
// was measured.
#pragma once

#include <vector>

#include "partition/cluster/node_profile.hpp"

namespace shingle {

struct ProfileTrial {
  WorkKind kind;
  Model longer;
  Model shorter{};  // without layers: `longer` counts with its copies
};

// Several for each kind; their shares of MACs, elements, weights and calls differ.
std::vector<ProfileTrial> profile_trials();

// A network of all kinds, 224 pixels wide: squares as VGG and U-Net have them, and bottlenecks as
// ResNet-50 and MobileNet have them.
Model profile_network();

}  // namespace shingle
