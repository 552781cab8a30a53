#include "apps/drone/results/detections_csv.hpp"

#include <algorithm>
#include <limits>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/results/csv_line.hpp"

namespace shingle::drone {
namespace {

constexpr size_t columns = 9, frame_column = 0, class_column = 2, road_column = 8;
// Larger ones are damage, and what computes with them must not overflow.
constexpr double most_coordinate = 1e8;

std::string road_text(const std::optional<bool>& is_on_road) {
  if (!is_on_road) return "";
  return *is_on_road ? "1" : "0";
}

// None: the line is damaged.
std::optional<FoundInFrame> found_in(std::string_view line) {
  const auto fields = csv_fields(line);
  if (fields.size() != columns) return std::nullopt;
  const auto frame = csv_whole(fields[frame_column]);
  const std::string_view of_class = fields[class_column];
  const auto class_id = csv_whole(of_class.empty() ? "-1" : of_class);
  const std::string_view road = fields[road_column];
  if (!road.empty() && road != "0" && road != "1") return std::nullopt;
  if (!frame || *frame < 1 || *frame > last_frame) return std::nullopt;
  if (!class_id || *class_id < -1 || *class_id > std::numeric_limits<int>::max())
    return std::nullopt;
  std::vector<double> numbers;  // score, x, y, w, h
  for (size_t column = class_column + 1; column < road_column; ++column) {
    const auto number = finite_number(fields[column]);
    if (!number || *number < -most_coordinate || *number > most_coordinate) return std::nullopt;
    numbers.push_back(*number);
  }
  const PixelBox box{numbers[1], numbers[2], numbers[3], numbers[4]};
  if (box.w <= 0.0 || box.h <= 0.0) return std::nullopt;
  FoundInFrame found{static_cast<uint32_t>(*frame),
                     {.box = {box, numbers[0], static_cast<int>(*class_id)}}};
  if (!road.empty()) found.found.is_on_road = road == "1";
  return found;
}

}  // namespace

std::string detections_line(uint32_t frame, double seconds, const FoundBox& found) {
  const auto& [box, score, class_id] = found.box;
  constexpr double least_side = 1e-3;  // as it is written
  return csv_line({std::to_string(frame), csv_text(seconds, 6),
                   class_id < 0 ? std::string() : std::to_string(class_id), csv_text(score, 6),
                   csv_text(box.x, 3), csv_text(box.y, 3), csv_text(std::max(box.w, least_side), 3),
                   csv_text(std::max(box.h, least_side), 3), road_text(found.is_on_road)});
}

Result<std::vector<FoundInFrame>> read_detections(std::string_view text, const std::string& name) {
  if (!text.starts_with(detections_header))
    return bad_line(name, 1, "is not the header of a run's detections; the file was changed");
  std::vector<FoundInFrame> found;
  size_t begin = std::string_view(detections_header).size();
  for (size_t number = 2, end = 0; (end = text.find('\n', begin)) != std::string_view::npos;
       begin = end + 1, ++number) {
    auto next = found_in(text.substr(begin, end - begin));
    if (!next)
      return bad_line(name, number,
                      "is no detection with a frame, class, score and box; the file was changed or "
                      "damaged");
    found.push_back(std::move(*next));
  }
  return found;
}

}  // namespace shingle::drone
