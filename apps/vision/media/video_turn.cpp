#include "apps/vision/media/video_turn.hpp"

extern "C" {
#include <libavutil/display.h>
}

#include <cmath>
#include <cstring>

namespace shingle::av {

double turn_of_matrix(const unsigned char* matrix) {
  if (matrix == nullptr) return 0.0;
  int32_t numbers[9];
  std::memcpy(numbers, matrix, sizeof numbers);
  const double anticlockwise = av_display_rotation_get(numbers);
  if (!std::isfinite(anticlockwise)) return 0.0;
  const double turn = std::fmod(720.0 - std::round(anticlockwise), 360.0);
  return turn;
}

}  // namespace shingle::av
