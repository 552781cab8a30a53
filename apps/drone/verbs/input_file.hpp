// Files with boxes, as the verbs read them.
#pragma once

#include <string>
#include <vector>

#include "apps/drone/boxes/mot_text.hpp"

namespace shingle::drone {

// The whole file. The sentence names it and the system's reason.
Result<std::string> read_text(const std::string& path);

// Boxes in MOTChallenge's text, in lines of `shingle run --json`, or in the JSON of ByteTrack's C++
// ports, {"results": [{"frame_id", "prob", "x", "y", "width", "height"}, ..]} with numbers or texts
// of numbers, and perhaps a "label". Frames of both JSON forms count from 0, here from 1 on.
Result<std::vector<MotRow>> read_boxes(const std::string& path);

}  // namespace shingle::drone
