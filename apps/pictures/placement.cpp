#include "apps/pictures/placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace shingle {

PixelRect covered(Fit fit, PixelSize picture, Shape input) {
  if (fit == Fit::stretch || fit == Fit::crop) return {0, 0, {input.w, input.h}};
  const double scale = std::min(double(input.w) / picture.width, double(input.h) / picture.height);
  const auto length = [&](int32_t side, int32_t most) {
    // YOLOX's letterbox rounds down (but 77 * (320.0 / 77) is a little less than 320), Ultralytics'
    // centred one to the nearest.
    const double exact = side * scale;
    const double pixels = fit == Fit::letterbox ? std::floor(exact + 1e-6) : std::nearbyint(exact);
    return static_cast<int32_t>(std::clamp(pixels, 1.0, double(most)));
  };
  const PixelSize size{length(picture.width, input.w), length(picture.height, input.h)};
  if (fit == Fit::letterbox) return {0, 0, size};
  return {(input.w - size.width) / 2, (input.h - size.height) / 2, size};
}

// A crop keeps what has the input's shape, in the middle.
PixelRect kept(Fit fit, PixelSize picture, Shape input) {
  if (fit != Fit::crop) return {0, 0, picture};
  const double scale = std::max(double(input.w) / picture.width, double(input.h) / picture.height);
  const PixelSize size{std::clamp(static_cast<int32_t>(input.w / scale + 0.5), 1, picture.width),
                       std::clamp(static_cast<int32_t>(input.h / scale + 0.5), 1, picture.height)};
  return {(picture.width - size.width) / 2, (picture.height - size.height) / 2, size};
}

Placement place(Fit fit, PixelSize picture, Shape input) {
  if (fit == Fit::crop) {
    const PixelRect part = kept(fit, picture, input);
    const double x = double(input.w) / part.size.width, y = double(input.h) / part.size.height;
    return {x, y, -part.x * x, -part.y * y};
  }
  const double x = double(input.w) / picture.width, y = double(input.h) / picture.height;
  if (fit == Fit::stretch) return {x, y};
  const PixelRect part = covered(fit, picture, input);  // up to a pixel off; so are the heads' own
  return {std::min(x, y), std::min(x, y), double(part.x), double(part.y)};
}

std::vector<std::byte> size_bytes(const Placement& placement, Shape input) {
  const std::array<float, 2> size{static_cast<float>(input.w / placement.scale_x),
                                  static_cast<float>(input.h / placement.scale_y)};
  const auto bytes = std::as_bytes(std::span(size));
  return {bytes.begin(), bytes.end()};
}

}  // namespace shingle
