// The fields of one line of a run's tables, one after the other, and the box that several tables
// have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

// Larger coordinates are damage, and what computes with them must not overflow.
inline constexpr double most_coordinate = 1e8;

// Remembers the first field that is bad; what is read of a bad field is 0 or empty.
class FieldReader {
 public:
  // `fields` must outlive it. REQUIRES: no more fields are read than there are.
  explicit FieldReader(const std::vector<std::string_view>& fields) : fields_(fields) {}

  double number();  // finite
  int64_t whole();
  std::optional<double> maybe();         // a finite number, or empty
  std::optional<int64_t> maybe_whole();  // or empty
  PixelBox box();

  size_t bad_field() const { return bad_field_; }  // from 1 on; 0: none

 private:
  template <class Value>
  std::optional<Value> take(std::optional<Value> value, bool may_be_empty);
  const std::vector<std::string_view>& fields_;
  size_t next_ = 0, bad_field_ = 0;
};

// x, y, w, h. Sides are at least as long as the last digit that is written.
void add_box(std::vector<std::string>& fields, const PixelBox& box);

// The box has an area, a frame that a file may name, and coordinates that can be.
bool is_possible(const PixelBox& box, int64_t frame, int64_t class_id);

}  // namespace shingle::drone
