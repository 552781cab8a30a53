#include "apps/drone/boxes/mot_text.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "apps/drone/boxes/number_lines.hpp"

namespace shingle::drone {
namespace {

constexpr double largest_coordinate = 1e7;

bool is_possible(const PixelBox& box) {
  for (const double value : {box.x, box.y, box.w, box.h})
    if (std::abs(value) > largest_coordinate) return false;
  return box.w > 0.0 && box.h > 0.0;
}

Result<MotRow> row_of(const NumberLine& line, const std::string& name, uint32_t first_frame) {
  const auto refusal = [&](const std::string& what) { return bad_line(name, line.number, what); };
  const std::vector<double>& values = line.values;
  if (!is_whole(values[0]) || values[0] < first_frame || values[0] > last_frame)
    return refusal("has the frame " + as_written(values[0]) + "; frames are whole numbers from " +
                   std::to_string(first_frame) + " to " + std::to_string(last_frame));
  if (!is_whole(values[1]))
    return refusal("has the id " + as_written(values[1]) + ", not a whole number");
  MotRow row{.frame = static_cast<uint32_t>(values[0]),
             .id = static_cast<int64_t>(values[1]),
             .box = {values[2], values[3], values[4], values[5]},
             .line = line.number};
  if (!is_possible(row.box))
    return refusal("has a box without width or height, or one far outside any picture");
  if (values.size() > 6) row.score = values[6];
  if (values.size() > 7) {
    if (!is_whole(values[7]) || std::abs(values[7]) > std::numeric_limits<int>::max())
      return refusal("has the class " + as_written(values[7]) + ", not a whole number");
    row.class_id = static_cast<int>(values[7]);
  }
  return row;
}

}  // namespace

Result<std::vector<MotRow>> read_mot(std::string_view text, const std::string& name,
                                     uint32_t first_frame) {
  const auto lines =
      read_number_lines(text, {.name = name,
                               .least = 6,
                               .read = 8,
                               .meaning = "MOTChallenge lines have frame,id,x,y,w,h and more"});
  if (!lines) return lines.failure();
  std::vector<MotRow> rows;
  for (const NumberLine& line : *lines) {
    const auto row = row_of(line, name, first_frame);
    if (!row) return row.failure();
    rows.push_back(*row);
  }
  return rows;
}

std::string mot_line(const MotRow& row) {
  char text[200];
  std::snprintf(text, sizeof text, "%u,%lld,%.3f,%.3f,%.3f,%.3f,%.6g,%d,-1,-1\n", row.frame,
                static_cast<long long>(row.id), row.box.x, row.box.y, row.box.w, row.box.h,
                row.score, row.class_id);
  return text;
}

}  // namespace shingle::drone
