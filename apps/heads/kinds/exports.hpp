// What heads share that read exports with several outputs, or with lists of objects: what the
// metadata say, outputs by name and rows of numbers.
#pragma once

#include <initializer_list>

#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {

// Ultralytics' metadata, as its exporter writes them.
bool states_task(const Clues& clues, std::string_view task);
bool states_end_to_end(const Clues& clues);  // no suppression is left to do
bool states_rtdetr(const Clues& clues);
int64_t named_classes(const Clues& clues);  // 0: no names

struct KeyPointShape {
  int64_t points = 17, numbers = 3;  // of a point: x, y and, if 3, how sure it is
  int64_t count() const { return points * numbers; }
};
KeyPointShape key_points_of(const Clues& clues);  // 17 x 3, COCO's, unless the metadata say else

// The place of the output that has one of these names, in small letters and without ":0".
std::optional<size_t> output_named(const Clues& clues,
                                   std::initializer_list<std::string_view> names);

// A list of objects: 1xNxK, K the numbers of each.
struct ListShape {
  int64_t rows = 0, columns = 0;
};
// None: the output is no such list, or has a row for each cell of the usual grids.
std::optional<ListShape> list_shape(const Clues& clues, size_t output);

// The rows of 1xNxK, or (transposed) the columns of 1xKxN.
Table table_of(const Clues& clues, Values values, size_t output, bool transposed = false);

// Prototypes of masks: 1xMxHxW of the same shape as the input. None: the output has another form.
std::optional<Shape> prototype_shape(const Clues& clues, size_t output);
Prototypes prototypes_of(const Clues& clues, Values values, size_t output);

inline Box between_corners(float left, float top, float right, float bottom) {
  return {left, top, right - left, bottom - top};
}

// The numbers [begin, end) of a row.
std::vector<float> numbers_of(const Table& table, size_t row, size_t begin, size_t end);

// The key points in a row from column `begin` on. Those that are not finite have no place.
std::vector<KeyPoint> points_of(const Table& table, size_t row, size_t begin, KeyPointShape shape);

// Ultralytics' own: centred, RGB / 255.
Preparation ultralytics_preparation(const Clues& clues);

}  // namespace shingle
