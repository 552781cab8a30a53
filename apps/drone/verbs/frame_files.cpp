#include "apps/drone/verbs/frame_files.hpp"

#include <cmath>
#include <limits>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/verbs/input_file.hpp"

namespace shingle::drone {
namespace {

// Lines by their frame, which comes first in each of them.
Result<std::map<uint32_t, NumberLine>> read_by_frame(const std::string& path, size_t least,
                                                     size_t read, const char* meaning) {
  const auto text = read_text(path);
  if (!text) return text.failure();
  const auto lines =
      read_number_lines(*text, {.name = path, .least = least, .read = read, .meaning = meaning});
  if (!lines) return lines.failure();
  std::map<uint32_t, NumberLine> by_frame;
  for (const NumberLine& line : *lines) {
    const double frame = line.values.front();
    if (!is_whole(frame) || frame < 1.0 || frame > last_frame)
      return bad_line(path, line.number,
                      "has the frame " + as_written(frame) +
                          "; frames are whole numbers from 1 to " + std::to_string(last_frame));
    if (!by_frame.emplace(static_cast<uint32_t>(frame), line).second)
      return bad_line(path, line.number, "has the frame " + as_written(frame) + " a second time");
  }
  return by_frame;
}

}  // namespace

Result<std::map<uint32_t, double>> read_times(const std::string& path) {
  const auto lines = read_by_frame(path, 2, 2, "lines of times have frame,seconds");
  if (!lines) return lines.failure();
  std::map<uint32_t, double> times;
  double before = -std::numeric_limits<double>::infinity();
  for (const auto& [frame, line] : *lines) {
    const double time = line.values[1];
    if (time <= before)
      return bad_line(
          path, line.number,
          "has the time " + as_written(time) + " s, which is not after the frame before");
    times[frame] = before = time;
  }
  return times;
}

Result<std::map<uint32_t, Homography>> read_camera_motion(const std::string& path) {
  const auto lines = read_by_frame(
      path, 7, 10, "lines of a camera's motion have a frame, then 6 or 9 numbers of its matrix");
  if (!lines) return lines.failure();
  std::map<uint32_t, Homography> motions;
  for (const auto& [frame, line] : *lines) {
    if (line.values.size() != 7 && line.values.size() != 10)
      return bad_line(path, line.number, "has a matrix of neither 6 nor 9 numbers");
    Homography motion = Homography::Identity();
    for (size_t index = 1; index < line.values.size(); ++index)
      motion(static_cast<int>(index - 1) / 3, static_cast<int>(index - 1) % 3) = line.values[index];
    if (!(std::abs(determinant_of(motion)) > 1e-12))
      return bad_line(path, line.number, "has a matrix that maps a plane to a line");
    motions[frame] = motion;
  }
  return motions;
}

}  // namespace shingle::drone
