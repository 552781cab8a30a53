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

// Rows of the source, scaled to the target's columns.
class ColumnScaler {
 public:
  ColumnScaler(const PictureView& source, int32_t target_width)
      : source_(source), places_(columns_along(source.size.width, target_width)) {
    const size_t values = places_.size() * static_cast<size_t>(source.channels);
    // A pixel is copied as 4 bytes.
    first_.resize(values + 1);
    second_.resize(values + 1);
    for (const Between& place : places_)
      for (int32_t c = 0; c < source.channels; ++c) {
        of_first_.push_back(place.of_first);
        of_second_.push_back(place.of_second);
      }
    const auto reads_far = [&](const Between& place) {
      return place.second + 2 > source.size.width;
    };
    inner_ = static_cast<size_t>(std::find_if(places_.begin(), places_.end(), reads_far) -
                                 places_.begin());
  }

  size_t values() const { return of_first_.size(); }

  // 7 bits behind the point: at most 255 * 128.
  void scale(int32_t y, int16_t* to) {
    if (source_.channels == 1)
      gather_grey(source_.row(y));
    else
      gather_colours(source_.row(y));
    const size_t count = values();
    const uint8_t *first = first_.data(), *second = second_.data();
    const int16_t *of_first = of_first_.data(), *of_second = of_second_.data();
    for (size_t i = 0; i < count; ++i) {
      const int32_t sum = int32_t{first[i]} * of_first[i] + int32_t{second[i]} * of_second[i];
      to[i] = static_cast<int16_t>(sum >> 4);
    }
  }

 private:
  void gather_grey(const uint8_t* row) {
    for (size_t x = 0; x < places_.size(); ++x) {
      first_[x] = row[places_[x].first];
      second_[x] = row[places_[x].second];
    }
  }

  // 4 bytes of a pixel at once, where the row has them: the next pixel is written over the fourth.
  void gather_colours(const uint8_t* row) {
    uint8_t *first = first_.data(), *second = second_.data();
    size_t x = 0;
    for (; x < inner_; ++x) {
      std::memcpy(first + 3 * x, row + ptrdiff_t{3} * places_[x].first, 4);
      std::memcpy(second + 3 * x, row + ptrdiff_t{3} * places_[x].second, 4);
    }
    for (; x < places_.size(); ++x) {
      std::memcpy(first + 3 * x, row + ptrdiff_t{3} * places_[x].first, 3);
      std::memcpy(second + 3 * x, row + ptrdiff_t{3} * places_[x].second, 3);
    }
  }

  PictureView source_;
  std::vector<Between> places_;
  size_t inner_ = 0;                     // places whose second pixel is not the row's last
  std::vector<uint8_t> first_, second_;  // of each value of the target's row
  std::vector<int16_t> of_first_, of_second_;
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

template <int channels>
void halve(const PictureView& source, const PictureSpan& target) {
  for (int32_t y = 0; y < target.size.height; ++y) {
    const uint8_t *above = source.row(2 * y), *below = source.row(2 * y + 1);
    uint8_t* __restrict to = target.row(y);
    for (int32_t x = 0; x < target.size.width; ++x)
      for (int32_t c = 0; c < channels; ++c) {
        const int32_t left = 2 * channels * x + c, right = left + channels;
        to[channels * x + c] = static_cast<uint8_t>(
            (above[left] + above[right] + below[left] + below[right] + 2) >> 2);
      }
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
