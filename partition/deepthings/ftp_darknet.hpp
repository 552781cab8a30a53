// What a tile takes DeepThings' own program (ftp.hpp).
#pragma once

#include "partition/deepthings/ftp_tiles.hpp"

namespace shingle {

int64_t darknet_ns(const DarknetCost& cost, const Model& model, const std::vector<LayerId>& layers,
                   const FtpWay& way);

}  // namespace shingle
