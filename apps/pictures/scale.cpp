#include "apps/pictures/scale.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace shingle {
namespace {

constexpr int weight_bits = 11;
constexpr int32_t one = 1 << weight_bits;

// For one place of the target along an axis: the two places of the source around its middle.
struct Between {
  int32_t first = 0, second = 0;
  int16_t of_first = one, of_second = 0;  // of `one`
};

int16_t weight_of(float share) {
  return static_cast<int16_t>(std::nearbyint(share * static_cast<float>(one)));
}

// In single precision from the middles on: the weights are OpenCV's to the bit. Beyond the border
// lies the border's own pixel.
std::vector<Between> places_along(int32_t source, int32_t target) {
  const double scale = 1.0 / (static_cast<double>(target) / source);
  std::vector<Between> places;
  places.reserve(static_cast<size_t>(target));
  for (int32_t i = 0; i < target; ++i) {
    const auto at = static_cast<float>((i + 0.5) * scale - 0.5);
    const float cell = std::floor(at);
    const auto first = static_cast<int32_t>(cell);
    places.push_back({.first = std::clamp(first, 0, source - 1),
                      .second = std::clamp(first + 1, 0, source - 1),
                      .of_first = weight_of(1.0F - (at - cell)),
                      .of_second = weight_of(at - cell)});
  }
  return places;
}

// Columns differ from rows: where both places are the border's pixel, it counts whole.
std::vector<Between> columns_along(int32_t source, int32_t target) {
  std::vector<Between> places = places_along(source, target);
  for (Between& place : places)
    if (place.first == place.second) place = {.first = place.first, .second = place.second};
  return places;
}

// Rows of the source, scaled to the target's columns. A row's pixels are first gathered, then
// weighted: only the second step is vector code, in 16 bits. So weights are in two parts:
//
//   (a * v + b * w) / 16 = (a * (v / 16) + b * (w / 16)) + (a * (v % 16) + b * (w % 16)) / 16
class ColumnScaler {
 public:
  ColumnScaler(const PictureView& source, int32_t target_width) : source_(source) {
    const int32_t row_bytes = source.size.width * source.channels;
    for (const Between& place : columns_along(source.size.width, target_width)) {
      const int32_t offset = place.first * source.channels;
      inner_ += offset + read_at_once <= row_bytes ? 1 : 0;
      offsets_.push_back(offset);
      for (int32_t c = 0; c < source.channels; ++c) weights_.add(place);
    }
    first_.resize(values() + read_at_once);
    second_.resize(values() + read_at_once);
  }

  size_t values() const { return offsets_.size() * static_cast<size_t>(source_.channels); }

  // 7 bits behind the point: at most 255 * 128.
  void scale(int32_t y, int16_t* to) {
    if (source_.channels == 1)
      gather<1>(source_.row(y));
    else
      gather<3>(source_.row(y));
    weigh(to);
  }

 private:
  static constexpr int32_t read_at_once = 8;  // bytes of a row: at least two pixels

  struct Weights {  // of each value
    std::vector<uint16_t> first_high{}, first_low{}, second_high{}, second_low{};
    void add(const Between& place) {
      first_high.push_back(static_cast<uint16_t>(place.of_first / 16));
      first_low.push_back(static_cast<uint16_t>(place.of_first % 16));
      second_high.push_back(static_cast<uint16_t>(place.of_second / 16));
      second_low.push_back(static_cast<uint16_t>(place.of_second % 16));
    }
  };

  // Each pixel and the one to the right of it. What is gathered beyond them is written over by the
  // next two.
  template <int32_t channels>
  void gather(const uint8_t* __restrict row) {
    constexpr size_t written = channels == 1 ? 1 : 4, pixel = channels;
    uint8_t* __restrict first = first_.data();
    uint8_t* __restrict second = second_.data();
    const int32_t* offsets = offsets_.data();
    const size_t count = offsets_.size(), inner = inner_;
    for (size_t x = 0; x < inner; ++x) {
      std::memcpy(first + pixel * x, row + offsets[x], written);
      std::memcpy(second + pixel * x, row + offsets[x] + channels, written);
    }
    // Near the row's end. The last pixel has none beside it; that one's weight is 0.
    const int32_t last = (source_.size.width - 1) * channels;
    for (size_t x = inner; x < count; ++x) {
      std::memcpy(first + pixel * x, row + offsets[x], pixel);
      std::memcpy(second + pixel * x, row + std::min(offsets[x] + channels, last), pixel);
    }
  }

  void weigh(int16_t* __restrict to) const {
    const uint8_t *first = first_.data(), *second = second_.data();
    const uint16_t *first_high = weights_.first_high.data(), *first_low = weights_.first_low.data();
    const uint16_t *second_high = weights_.second_high.data(),
                   *second_low = weights_.second_low.data();
    const size_t count = values();
    for (size_t i = 0; i < count; ++i) {
      const uint16_t a = first[i], b = second[i];
      const auto high = static_cast<uint16_t>(a * first_high[i] + b * second_high[i]);
      const auto low = static_cast<uint16_t>(a * first_low[i] + b * second_low[i]);
      to[i] = static_cast<int16_t>(high + (low >> 4));
    }
  }

  PictureView source_;
  std::vector<int32_t> offsets_;         // in the row, of each first pixel
  size_t inner_ = 0;                     // so many of them have read_at_once bytes from there on
  std::vector<uint8_t> first_, second_;  // of each value
  Weights weights_;
};

// The two scaled rows that were used last: the next row of the target often needs them again.
class ScaledRows {
 public:
  ScaledRows(const PictureView& source, int32_t target_width) : scaler_(source, target_width) {
    for (Row& row : rows_) row.values.resize(scaler_.values());
  }

  size_t values() const { return scaler_.values(); }

  struct Pair {
    const int16_t *first, *second;
  };
  Pair pair(const Between& place) {
    if (rows_[1].y == place.first) std::swap(rows_[0], rows_[1]);
    return {row(rows_[0], place.first), row(rows_[1], place.second)};
  }

 private:
  struct Row {
    int32_t y = -1;
    std::vector<int16_t> values{};
  };
  const int16_t* row(Row& row, int32_t y) {
    if (row.y != y) scaler_.scale(y, row.values.data());
    row.y = y;
    return row.values.data();
  }

  ColumnScaler scaler_;
  Row rows_[2];
};

void blend_rows(const ScaledRows::Pair& rows, const Between& place, size_t count,
                uint8_t* __restrict to) {
  const int16_t of_first = place.of_first, of_second = place.of_second;
  for (size_t i = 0; i < count; ++i) {
    const auto above = static_cast<int16_t>((int32_t{rows.first[i]} * of_first) >> 16);
    const auto below = static_cast<int16_t>((int32_t{rows.second[i]} * of_second) >> 16);
    to[i] = static_cast<uint8_t>(static_cast<uint16_t>(above + below + 2) >> 2);
  }
}

void copy(const PictureView& source, const PictureSpan& target) {
  const auto bytes = static_cast<size_t>(source.size.width) * static_cast<size_t>(source.channels);
  for (int32_t y = 0; y < source.size.height; ++y) std::memcpy(target.row(y), source.row(y), bytes);
}

// Two rows are added, then the values of two pixels beside each other: four at once, as none is
// above 1020. What is read and written beyond a pixel counts for nothing.
template <size_t channels>
void halve(const PictureView& source, const PictureSpan& target) {
  constexpr size_t beyond = 4;
  const size_t pixels = static_cast<size_t>(target.size.width), values = pixels * channels;
  std::vector<uint16_t> columns(2 * values + beyond), sums(values + beyond);
  for (int32_t y = 0; y < target.size.height; ++y) {
    const uint8_t *above = source.row(2 * y), *below = source.row(2 * y + 1);
    uint16_t* __restrict column = columns.data();
    for (size_t i = 0; i < 2 * values; ++i) column[i] = static_cast<uint16_t>(above[i] + below[i]);
    uint16_t* __restrict sum = sums.data();
    for (size_t x = 0; x < pixels; ++x) {
      uint64_t left = 0, right = 0;
      std::memcpy(&left, column + 2 * channels * x, sizeof left);
      std::memcpy(&right, column + 2 * channels * x + channels, sizeof right);
      left += right;
      std::memcpy(sum + channels * x, &left, sizeof left);
    }
    uint8_t* __restrict to = target.row(y);
    for (size_t i = 0; i < values; ++i)
      to[i] = static_cast<uint8_t>(static_cast<uint16_t>(sum[i] + 2) >> 2);
  }
}

}  // namespace

void scale_bilinear(const PictureView& source, const PictureSpan& target) {
  assert(source.channels == target.channels && (source.channels == 1 || source.channels == 3));
  assert(area_of(source.size) > 0 && area_of(target.size) > 0);
  if (source.size == target.size) return copy(source, target);
  if (source.size == PixelSize{2 * target.size.width, 2 * target.size.height})
    return source.channels == 1 ? halve<1>(source, target) : halve<3>(source, target);
  const std::vector<Between> places = places_along(source.size.height, target.size.height);
  ScaledRows rows(source, target.size.width);
  for (int32_t y = 0; y < target.size.height; ++y) {
    const Between& place = places[static_cast<size_t>(y)];
    blend_rows(rows.pair(place), place, rows.values(), target.row(y));
  }
}

}  // namespace shingle
