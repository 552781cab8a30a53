// run.json: what made a run, and whether it came to its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct RunInfo {
  std::string program{};  // and version
  std::string source{};   // the video or file of detections
  double frames_per_second = 0.0;
  uint32_t width = 0, height = 0;  // of the picture in pixels; 0: not known
  bool has_ground = false;         // frames.csv has the ground's columns
  std::string crs{};               // "EPSG:n": and those of this map grid; empty: none
  std::vector<std::pair<std::string, std::string>> options{};  // as they were in effect
  bool is_complete = false;  // false: the run goes on, or was cut off
  uint32_t frames = 0;       // that are in frames.csv, also without tracks; 0 until it is complete
};

std::string run_json(const RunInfo& info);

// Errors name the file: no JSON, another format, a rate that is no rate.
Result<RunInfo> read_run_json(std::string_view text, const std::string& name);

}  // namespace shingle::drone
