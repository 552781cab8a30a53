// A small classifier with a map beside its scores, as tf2onnx writes one of Keras: pictures are
// 1x24x32x3, each convolution has its transposes around it, the rest has the channels last. And the
// same network with the channels first.
#pragma once

#include <cstdint>
#include <string>

namespace shingle::networks {

enum class ChannelOrder : uint8_t { last, first };

// Outputs: "scores" (1x5) and, if wanted, "map" (1x12x16x4, or 1x4x12x16).
std::string keras_network(ChannelOrder order, bool with_map = true);

}  // namespace shingle::networks
