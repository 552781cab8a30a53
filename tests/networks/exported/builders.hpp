// The exported networks, each in a file of its own. `x`: the network's input.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

void export_vit_tiny(Exporter& to, const Value& x);
void export_espcn(Exporter& to, const Value& x);

}  // namespace shingle::networks
