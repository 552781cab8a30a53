// What follows from the switches and cells of a cluster file.
#pragma once

#include "devices/files/cluster_file.hpp"
#include "partition/network/radio.hpp"

namespace shingle {

// The cell where every node is, so that all share its air. Null: they do not.
const NetworkPoint* only_cell(const ClusterFile& file);

// The air of a cell. REQUIRES: it is a cell.
AirTable air_of(const NetworkPoint& cell);
// What its radios do, by its mode. REQUIRES: it is a cell.
RadioTiming radio_of(const NetworkPoint& cell);

// What the air of a cell carries from station to station. REQUIRES: it is a cell.
double air_mbps(const NetworkPoint& cell);

}  // namespace shingle
