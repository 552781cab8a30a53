// The geo-trax sample: 5 s of a hovering drone, with everything that geo-trax made of it.
#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::geotrax {

struct Box {
  Eigen::Vector2d seen, stabilised;  // centres, in pixels of its frame and of frame 0
  Eigen::Vector2d size;              // width and height in its frame
  int kind = 0;                      // 0 car, 1 bus, 2 truck, 3 motorcycle
};

struct Row {  // of the table with the results
  int frame = 0, vehicle = 0, kind = 0;
  Eigen::Vector2d ortho, local;  // pixels of the orthophoto, metres of EPSG:5186
  double latitude = 0.0, longitude = 0.0;
  double speed_kmh = -1.0;  // below 0: none
};

struct Sample {
  std::map<std::pair<int, int>, Box> boxes{};          // by frame and vehicle
  std::map<int, Eigen::Matrix3d> to_first_frame{};     // by frame, from 1 on
  Eigen::Matrix3d to_ortho = Eigen::Matrix3d::Zero();  // from pixels of frame 0
  std::map<int, std::vector<Row>> tracks{};            // by vehicle, in frame order
  double height_m = 0.0, focal_mm = 0.0;               // of the flight log's first row
};

// Errors: a file of the folder that is missing or has a line that is none.
Result<Sample> read(const std::string& folder);

}  // namespace shingle::geotrax
