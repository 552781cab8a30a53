#include "apps/drone/results/detections_csv.hpp"

#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/results/csv_line.hpp"
#include "apps/drone/results/field_reader.hpp"

namespace shingle::drone {
namespace {

constexpr size_t columns = 9;

std::string road_text(const std::optional<bool>& is_on_road) {
  if (!is_on_road) return "";
  return *is_on_road ? "1" : "0";
}

// None: the line is damaged.
std::optional<FoundInFrame> found_in(std::string_view line) {
  const auto fields = csv_fields(line);
  if (fields.size() != columns) return std::nullopt;
  FieldReader in(fields);
  const int64_t frame = in.whole();
  in.number();  // seconds
  const int64_t class_id = in.maybe_whole().value_or(-1);
  const double score = in.number();
  const PixelBox box = in.box();
  const auto is_on_road = in.maybe_whole();
  const bool is_damaged = in.bad_field() != 0 || !is_possible(box, frame, class_id);
  if (is_damaged || is_on_road.value_or(0) < 0 || is_on_road.value_or(0) > 1) return std::nullopt;
  FoundInFrame found{static_cast<uint32_t>(frame),
                     {.box = {box, score, static_cast<int>(class_id)}}};
  if (is_on_road) found.found.is_on_road = *is_on_road == 1;
  return found;
}

}  // namespace

std::string detections_line(uint32_t frame, double seconds, const FoundBox& found) {
  const auto& [box, score, class_id] = found.box;
  std::vector<std::string> fields{std::to_string(frame), csv_text(seconds, 6),
                                  class_id < 0 ? std::string() : std::to_string(class_id),
                                  csv_text(score, 6)};
  add_box(fields, box);
  fields.push_back(road_text(found.is_on_road));
  return csv_line(fields);
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
