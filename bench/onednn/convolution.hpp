// oneDNN's convolution: one layer alone on one thread, in the layouts and with the algorithm that
// it chooses itself.
#pragma once

#include "partition/model/model.hpp"

namespace shingle::bench {

// Seconds of CPU time, the median of seven runs behind a first one, reordering of input and output
// left out. NAN: oneDNN was not there when this was built, or does not take the layer.
double onednn_seconds(const Model& model, const Layer& layer);

}  // namespace shingle::bench
