// Aerial photographs with labels.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "apps/scene/score.hpp"
#include "apps/vision/media_in.hpp"

namespace shingle::bench {

// YOLO labels: class, centre and size relative to the picture.
inline std::vector<Wanted> labels_of(const std::filesystem::path& picture, cv::Size size) {
  std::vector<Wanted> wanted;
  std::ifstream file(std::filesystem::path(picture).replace_extension(".txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    float kind = 0, x = 0, y = 0, w = 0, h = 0;
    if (!(words >> kind >> x >> y >> w >> h)) continue;
    const float width = static_cast<float>(size.width), height = static_cast<float>(size.height);
    wanted.push_back({{(x - w / 2) * width, (y - h / 2) * height, w * width, h * height}});
  }
  return wanted;
}

// Those whose names start with `start` and not with `but_not`, in the order of their names.
inline std::vector<std::filesystem::path> photographs(const std::filesystem::path& folder,
                                                      const std::string& start,
                                                      const std::string& but_not) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start) && !name.starts_with(but_not) && is_image_name(name))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace shingle::bench
