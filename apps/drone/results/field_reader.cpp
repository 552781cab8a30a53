#include "apps/drone/results/field_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/results/csv_line.hpp"

namespace shingle::drone {

template <class Value>
std::optional<Value> FieldReader::take(std::optional<Value> value, bool may_be_empty) {
  const bool is_fine = value || (may_be_empty && fields_[next_].empty());
  ++next_;
  if (!is_fine && bad_field_ == 0) bad_field_ = next_;
  return value;
}

double FieldReader::number() { return take(finite_number(fields_[next_]), false).value_or(0.0); }

int64_t FieldReader::whole() { return take(csv_whole(fields_[next_]), false).value_or(0); }

std::optional<double> FieldReader::maybe() { return take(finite_number(fields_[next_]), true); }

std::optional<int64_t> FieldReader::maybe_whole() { return take(csv_whole(fields_[next_]), true); }

PixelBox FieldReader::box() { return {.x = number(), .y = number(), .w = number(), .h = number()}; }

void add_box(std::vector<std::string>& fields, const PixelBox& box) {
  constexpr double least_side = 1e-3;
  for (const double value :
       {box.x, box.y, std::max(box.w, least_side), std::max(box.h, least_side)})
    fields.push_back(csv_text(value, 3));
}

bool is_possible(const PixelBox& box, int64_t frame, int64_t class_id) {
  const auto coordinates = {box.x, box.y, box.w, box.h};
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [](double each) { return std::abs(each) <= most_coordinate; }) &&
         box.w > 0.0 && box.h > 0.0 && frame >= 1 && frame <= last_frame && class_id >= -1 &&
         class_id <= std::numeric_limits<int>::max();
}

}  // namespace shingle::drone
