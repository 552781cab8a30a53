// ResNet-18, a backbone that others read at four strides.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

// "d" (vd): three small layers at the front instead of a large one, and shortcuts that average
// before they project.
enum class ResNet : uint8_t { plain, d };

// The maps at strides 4, 8, 16 and 32.
std::vector<Value> resnet18(Exporter& to, const Value& x, ResNet kind);

}  // namespace shingle::networks
