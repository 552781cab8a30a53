// Results of a run, for programs and for people: a line per frame, and who did what at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/detection.hpp"
#include "apps/tally.hpp"

namespace shingle {

struct FrameResult {
  uint64_t frame = 0;
  std::string name;  // of the image; empty for videos
  double milliseconds = 0.0;
  std::vector<Detection> detections;
};
// {"frame":0,"ms":81.2,"boxes":[{"class":2,"name":"car","score":0.81,"x":1,"y":2,"w":3,"h":4}]}
std::string json_line(const FrameResult& result);

struct Summary {
  uint64_t frames = 0, identical = 0, dropped = 0;
  bool verified = false;
  double seconds = 0.0;
  int64_t wire_bytes_per_frame = 0;
  std::string out;  // where annotated media was written; empty: nowhere
  double frames_per_second() const {
    return seconds > 0.0 ? static_cast<double>(frames) / seconds : 0.0;
  }
  bool all_identical() const { return verified && identical == frames; }
};
// A line for each node, then one for the run ("identical" is null when nothing was verified):
// {"nodes":4,"frames":9,"identical":true,"fps":8.1,"tiles_per_node":[9,9,9,9],"thefts":0,
//  "wire_bytes_per_frame":1234}
std::string summary_json(const Summary& summary, const Tally& tally);
std::string summary_text(const Summary& summary, const Tally& tally);

}  // namespace shingle
