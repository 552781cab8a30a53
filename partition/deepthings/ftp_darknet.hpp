// The time that DeepThings' own program needs for a tile (ftp.hpp).
#pragma once

#include "partition/deepthings/ftp_tiles.hpp"

namespace shingle {

int64_t darknet_ns(const DarknetCost& cost, const Model& model, const std::vector<LayerId>& layers,
                   const FtpWay& way);

}  // namespace shingle
