// Which segments lie so near to each other that a vehicle on one is in the way of one on the other,
// although neither leads to the other: behind a fork, before a merge.
#pragma once

#include "apps/scene/network/road_network.hpp"

namespace shingle {

void find_siblings(RoadNetwork& network);
void find_merge_zones(RoadNetwork& network);

}  // namespace shingle
