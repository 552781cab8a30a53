// The time that DeepThings' own program needs for a tile (ftp.hpp): what it does, times what each
// costs.
#pragma once

#include <array>

#include "partition/deepthings/ftp_tiles.hpp"

namespace shingle {

// How often a tile does what each field of DarknetCost costs, in the order of the fields.
inline constexpr size_t darknet_terms = 7;
using DarknetWork = std::array<double, darknet_terms>;
inline constexpr std::array<const char*, darknet_terms> darknet_term_names = {
    "ns_per_mac",    "ns_per_gathered", "ns_per_pointwise", "ns_per_element",
    "ns_per_weight", "ns_per_pooled",   "ns_per_stitched"};
std::array<double, darknet_terms> values_of(const DarknetCost& cost);
DarknetCost darknet_cost(const std::array<double, darknet_terms>& values);

DarknetWork darknet_work(const Model& model, const std::vector<LayerId>& layers, const FtpWay& way);
Duration darknet_time(const DarknetCost& cost, const DarknetWork& work);
Duration darknet_time(const DarknetCost& cost, const Model& model,
                      const std::vector<LayerId>& layers, const FtpWay& way);

// What DeepThings' authors measured tiles of: the first 16 layers of YOLOv2 at 608x608. Its weights
// have sizes but no values.
Model yolov2_block();

}  // namespace shingle
