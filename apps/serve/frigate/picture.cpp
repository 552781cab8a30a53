#include "apps/serve/frigate/picture.hpp"

#include <cmath>
#include <cstring>
#include <optional>

#include "apps/serve/v2/tensors.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

constexpr int32_t channels = 3;

struct Layout {
  PictureSize size;
  size_t by_pixel, by_channel;  // steps, in elements
};

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape)
    text.append(text.empty() ? "" : " x ").append(std::to_string(size));
  return text.empty() ? "none" : text;
}

// Where both layouts are possible, the one of the model's size.
Result<Layout> layout_of(const std::vector<int64_t>& shape, PictureSize wanted) {
  const bool is_picture = shape.size() == 4 && shape[0] == 1;
  const auto side = [&](size_t at) { return static_cast<int32_t>(shape[at]); };
  std::optional<Layout> last, first;
  if (is_picture && shape[3] == channels) last = Layout{{side(2), side(1)}, channels, 1};
  if (is_picture && shape[1] == channels)
    first = Layout{{side(3), side(2)}, 1, static_cast<size_t>(shape[2] * shape[3])};
  if (first && (!last || first->size == wanted)) return *first;
  if (last) return *last;
  return bad_input("a tensor of " + shape_text(shape) +
                   " is no picture: it would be 1 x height x width x 3 or 1 x 3 x height x width");
}

// One value as a byte; the error says why it is none.
struct FloatReader {
  float steps;  // in 1

  std::optional<uint8_t> pixel(float value) const {
    constexpr float tolerance = 0.01F;  // of a step: float32 is wrong by 0.00002 of one
    const float pixel = value * steps;
    const float whole = std::nearbyint(pixel);
    if (!(std::abs(pixel - whole) <= tolerance) || whole < 0.0F || whole > 255.0F)
      return std::nullopt;
    return static_cast<uint8_t>(whole);
  }
};

Error no_pixel(float value, const FrigatePixels& pixels) {
  return bad_input(
      "a value of the tensor is " + std::to_string(value) +
      (pixels.floats_are_pixels
           ? ", and pixels are whole numbers from 0 to 255 (--frigate-floats unit is for Frigate's "
             "input_dtype: float)"
           : ", and pixels are 0 to 1 in steps of 1/255 (--frigate-floats pixels is for Frigate's "
             "input_dtype: float_denorm)"));
}

}  // namespace

Result<RgbPicture> read_frigate_picture(const TensorSent& tensor, std::span<const std::byte> bytes,
                                        PictureSize size, const FrigatePixels& pixels) {
  const bool is_float = tensor.dtype == "float32";
  if (!is_float && tensor.dtype != "uint8")
    return bad_input("tensors of " + in_quotes(tensor.dtype) +
                     " are not read; they may be uint8 or float32");
  const auto layout = layout_of(tensor.shape, size);
  if (!layout) return layout.failure();
  if (layout->size != size)
    return bad_input("the tensor is a picture of " + std::to_string(layout->size.width) + " x " +
                     std::to_string(layout->size.height) + ", and the model takes " +
                     std::to_string(size.width) + " x " + std::to_string(size.height) +
                     ": set width and height of Frigate's model so");
  const size_t count = static_cast<size_t>(size.width) * static_cast<size_t>(size.height);
  const size_t wanted = count * channels * (is_float ? sizeof(float) : 1);
  if (bytes.size() != wanted)
    return bad_input("a tensor of " + shape_text(tensor.shape) + " has " + std::to_string(wanted) +
                     " bytes, and " + std::to_string(bytes.size()) + " came");
  RgbPicture picture{size.width, size.height, std::vector<uint8_t>(count * channels)};
  const FloatReader reader{pixels.floats_are_pixels ? 1.0F : 255.0F};
  uint8_t* target = picture.pixels.data();
  for (size_t i = 0; i < count; ++i) {
    for (size_t c = 0; c < channels; ++c) {
      const size_t channel = pixels.is_bgr ? 2 - c : c;
      const size_t at = i * layout->by_pixel + channel * layout->by_channel;
      if (!is_float) {
        *target++ = static_cast<uint8_t>(bytes[at]);
        continue;
      }
      float value = 0.0F;
      std::memcpy(&value, bytes.data() + at * sizeof value, sizeof value);
      const auto pixel = reader.pixel(value);
      if (!pixel) return no_pixel(value, pixels);
      *target++ = *pixel;
    }
  }
  return picture;
}

}  // namespace shingle::serve
