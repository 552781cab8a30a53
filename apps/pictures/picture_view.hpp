// PictureView: a picture in memory that somebody else owns, as cameras, decoders and callers of a
// library hold one. Bitmap: one that we own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/models/take_picture.hpp"

namespace shingle {

struct PixelSize {
  int32_t width = 0, height = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};
int64_t area_of(PixelSize size);

struct PixelRect {
  int32_t x = 0, y = 0;  // the top left corner
  PixelSize size{};
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

// 8 bits for each channel, the channels of a pixel side by side, rows from the top. The pixels must
// outlive the view.
struct PictureView {
  const uint8_t* pixels = nullptr;
  PixelSize size{};
  int32_t channels = 3;                  // 1: grey; 3
  ptrdiff_t row_bytes = 0;               // from a row's first byte to the next row's
  ColourOrder order = ColourOrder::bgr;  // of three channels

  const uint8_t* row(int32_t y) const { return pixels + y * row_bytes; }
};

// The same to write to.
struct PictureSpan {
  uint8_t* pixels = nullptr;
  PixelSize size{};
  int32_t channels = 3;
  ptrdiff_t row_bytes = 0;

  uint8_t* row(int32_t y) const { return pixels + y * row_bytes; }
};

// REQUIRES: the rectangle lies in the picture.
PictureView part_of(const PictureView& picture, const PixelRect& part);
PictureSpan part_of(const PictureSpan& picture, const PixelRect& part);

// Grey or BGR, rows without gaps.
struct Bitmap {
  PixelSize size{};
  int32_t channels = 3;
  std::vector<uint8_t> bytes{};
  friend bool operator==(const Bitmap&, const Bitmap&) = default;
};

Bitmap black_bitmap(PixelSize size, int32_t channels);
PictureView view_of(const Bitmap& bitmap);
PictureSpan span_of(Bitmap& bitmap);

}  // namespace shingle
