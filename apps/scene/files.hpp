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

// What the files of scenes are made of: the header of a truth file and a row of it, a number as
// files have it in their names, a picture.
inline constexpr const char* truth_header =
    "frame,id,class,x,y,w,h,visible,speed,ground_x,ground_y,heading\n";
std::string row_of(uint32_t frame, const VehicleTruth& truth);
std::string numbered(uint64_t number);
Status write_png(const std::string& path, const cv::Mat& picture);

// Rows in the file's order. The sentence names the file and line that does not read.
Result<std::vector<TruthRow>> read_truth(const std::string& path);

}  // namespace shingle
