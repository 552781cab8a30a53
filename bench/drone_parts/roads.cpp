// How well models/road.onnx finds the road in rendered flights. It looks at each tenth picture, as
// `shingle-drone run --road` does. Prints the overlap (IoU) of each clip, and a line of JSON with
// the overlap over the pixels of all clips.
//   bench-drone-roads CLIP.mp4..      CLIP.roads/ has the true masks, 000000.png ..
#include <cstdio>
#include <opencv2/imgcodecs.hpp>

#include "apps/vision/media_in.hpp"
#include "bench/eyes.hpp"

namespace {

using namespace shingle;
using namespace shingle::bench;

constexpr const char* model_path = "models/road.onnx";
constexpr int every = 10, road_class = 1;

struct Pixels {
  int64_t both = 0, either = 0;
  double overlap() const { return either > 0 ? double(both) / double(either) : 0.0; }
};

void count(const ClassMap& found, const cv::Mat& truth, Pixels& pixels) {
  for (int row = 0; row < truth.rows; ++row)
    for (int column = 0; column < truth.cols; ++column) {
      const auto at = size_t(row) * size_t(found.width) + size_t(column);
      const bool is_found = found.classes[at] == road_class;
      const bool is_road = truth.at<uint8_t>(row, column) > 127;
      pixels.both += is_found && is_road ? 1 : 0;
      pixels.either += is_found || is_road ? 1 : 0;
    }
}

// Returns false if a picture or a mask is missing, or if their sizes differ.
bool look(Eyes& eyes, const std::string& clip, Pixels& pixels) {
  auto video = MediaInput::open(clip);
  if (!video) return false;
  const std::string folder = clip.substr(0, clip.rfind('.')) + ".roads/";
  for (int number = 0;; ++number) {
    const auto picture = video->next();
    if (!picture) return false;
    if (!*picture) return number > 0;
    if (number % every != 0) continue;
    char name[32];
    std::snprintf(name, sizeof name, "%06d.png", number);
    const cv::Mat truth = cv::imread(folder + name, cv::IMREAD_GRAYSCALE);
    const Finding finding = eyes.find((*picture)->image);
    const auto* found = std::get_if<ClassMap>(&finding);
    if (found == nullptr || truth.size() != cv::Size(found->width, found->height)) return false;
    count(*found, truth, pixels);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Eyes eyes(model_path);
  Pixels all;
  for (int i = 1; i < argc; ++i) {
    Pixels pixels;
    if (!look(eyes, argv[i], pixels)) {
      std::fprintf(stderr, "%s cannot be compared with its masks\n", argv[i]);
      return 1;
    }
    std::printf("  %s %.3f\n", argv[i], pixels.overlap());
    all.both += pixels.both;
    all.either += pixels.either;
  }
  std::printf("{\"road_iou\":%.4f}\n", all.overlap());
  return 0;
}
