#include "apps/scene/render/exposure.hpp"

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace shingle {
namespace {

// The share of what comes from the ground at each row: farther rows show more air. Roofs are so
// near to the ground that its distance serves for them.
std::vector<float> clear_shares(const SceneView& view, double haze_per_metre) {
  const cv::Matx33d to_ground = ground_homography(view).inv();
  std::vector<float> shares;
  for (int row = 0; row < view.size.height; ++row) {
    const cv::Vec3d at = to_ground * cv::Vec3d(view.size.width / 2.0, row + 0.5, 1.0);
    const double depth = depth_of(view, {at[0] / at[2], at[1] / at[2]}, 0.0);
    shares.push_back(static_cast<float>(std::exp(-haze_per_metre * depth)));
  }
  return shares;
}

// Uniform noise of two sizes of grain, by whole numbers: fast, and the same everywhere.
class SensorNoise {
 public:
  explicit SensorNoise(uint64_t seed) : seed_(seed) {}
  // Mean 0, variance about 1.
  float at(int x, int y) const {
    return 0.9F * unit(x, y, 1) + 0.9F * unit(x / 2, y / 2, 2) + 0.5F * unit(x, y, 3);
  }

 private:
  float unit(int x, int y, uint64_t layer) const {
    uint64_t mixed = seed_ + layer * 0x9E3779B97F4A7C15ULL + (static_cast<uint64_t>(y) << 32) +
                     static_cast<uint64_t>(x);
    mixed *= 0xBF58476D1CE4E5B9ULL;
    mixed ^= mixed >> 29;
    mixed *= 0x94D049BB133111EBULL;
    return static_cast<float>(static_cast<int64_t>(mixed) >> 40) * 0x1.6p-23F;
  }
  uint64_t seed_;
};

}  // namespace

cv::Mat expose(const cv::Mat& drawn, const SceneView& view, const WorldLight& light,
               uint64_t seed) {
  const SceneLook& look = light.look;
  cv::Mat small;
  cv::resize(drawn, small, view.size, 0, 0, cv::INTER_AREA);
  if (look.blur_pixels > 0.05) cv::GaussianBlur(small, small, {}, look.blur_pixels);
  const std::vector<float> clear = clear_shares(view, light.haze_per_metre);
  const SensorNoise noise(seed);
  const auto saturation = static_cast<float>(look.saturation);
  const auto contrast = static_cast<float>(look.contrast);
  const auto level = static_cast<float>(118 * (1 - look.contrast) + look.brightness);
  const auto grain = static_cast<float>(look.noise);
  std::array<float, 3> cast{}, air{};
  for (size_t c = 0; c < 3; ++c)
    cast[c] = static_cast<float>(look.cast[static_cast<int>(c)]),
    air[c] = static_cast<float>(light.air[static_cast<int>(c)]);
  cv::Mat picture(view.size, CV_8UC3);
  for (int y = 0; y < picture.rows; ++y) {
    const cv::Vec3b* in = small.ptr<cv::Vec3b>(y);
    cv::Vec3b* out = picture.ptr<cv::Vec3b>(y);
    const float share = clear[static_cast<size_t>(y)];
    for (int x = 0; x < picture.cols; ++x) {
      const float luma = 0.114F * in[x][0] + 0.587F * in[x][1] + 0.299F * in[x][2];
      const float speckle = grain * noise.at(x, y);
      for (int c = 0; c < 3; ++c) {
        float value = luma + (static_cast<float>(in[x][c]) - luma) * saturation;
        value = (value * contrast + level) * cast[static_cast<size_t>(c)];
        value = value * share + air[static_cast<size_t>(c)] * (1.0F - share);
        out[x][c] = cv::saturate_cast<uchar>(value + speckle);
      }
    }
  }
  return picture;
}

}  // namespace shingle
