// The time that DeepThings' own program needs for a tile (ftp.hpp).
#pragma once

#include "partition/deepthings/ftp_tiles.hpp"

namespace shingle {

Duration darknet_time(const DarknetCost& cost, const Model& model,
                      const std::vector<LayerId>& layers, const FtpWay& way);

}  // namespace shingle
