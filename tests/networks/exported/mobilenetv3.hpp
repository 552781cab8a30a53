// MobileNetV3-large's features, which a classifier and a segmenter share.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

// With `dilated`, the last three blocks keep their size and dilate instead: 1/16 of the input's.
Value mobilenetv3_features(Exporter& to, const Value& x, bool dilated);

}  // namespace shingle::networks
