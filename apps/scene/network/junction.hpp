// A junction of arms without traffic lights: a connector from every lane that comes in to every
// lane that goes out by another arm.
#pragma once

#include "apps/scene/network/network_parts.hpp"

namespace shingle {

struct JunctionArm {
  std::vector<size_t> in{}, out{};  // lanes that end and begin at the junction
  LanePath axis;                    // towards the junction, up to where the lanes end
  bool is_major = false;            // who comes in here goes before those of minor arms
};

void lay_junction(RoadNetwork& network, std::span<const JunctionArm> arms,
                  const RoadSection& section);

}  // namespace shingle
