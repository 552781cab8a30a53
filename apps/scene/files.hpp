// A scene on disk: the video, and beside it the truth as text (docs/use/scene.md describes the
// files).
#pragma once

#include <string>

#include "apps/scene/frame.hpp"
#include "partition/base/result.hpp"

namespace shingle {

// PATH.mp4 -> PATH.truth.csv, PATH.camera.csv, PATH.roads/000000.png ...
Status write_clip(const SceneOptions& options, uint32_t frames, const std::string& path);

// Stills of scenes with seeds options.seed, +1, ...: FOLDER/000001.png and 000001.csv by seed, each
// at an own scale between `finest` and `coarsest` metres per pixel.
struct StillRange {
  uint32_t count = 1;
  double finest = 0.09, coarsest = 0.2;
};
Status write_stills(const SceneOptions& options, const StillRange& range,
                    const std::string& folder);

struct TruthRow {
  uint32_t frame = 0;
  VehicleTruth truth;
};

// Rows in the file's order. The sentence names the file and line that does not read.
Result<std::vector<TruthRow>> read_truth(const std::string& path);

}  // namespace shingle
