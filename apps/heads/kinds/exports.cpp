#include "apps/heads/kinds/exports.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/findings/class_names.hpp"

namespace shingle {
namespace {

char small(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_named(std::string_view output, std::string_view name) {
  if (output.ends_with(":0")) output.remove_suffix(2);
  return std::ranges::equal(output, name, [](char a, char b) { return small(a) == b; });
}

bool holds(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return small(a) == b; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

bool states_task(const Clues& clues, std::string_view task) {
  return metadata_of(clues, "task") == task;
}

bool states_end_to_end(const Clues& clues) {
  return metadata_of(clues, "end2end") == "True" ||
         holds(metadata_of(clues, "args"), "'nms': true");
}

bool states_rtdetr(const Clues& clues) {
  const std::string_view text = metadata_of(clues, "description");
  return holds(text, "rtdetr") || holds(text, "rt-detr");
}

int64_t named_classes(const Clues& clues) {
  const auto names = names_in_metadata(metadata_of(clues, "names"));
  return names ? std::ssize(*names) : 0;
}

KeyPointShape key_points_of(const Clues& clues) {
  constexpr int64_t most = 1000;
  const std::string_view text = metadata_of(clues, "kpt_shape");  // "[17, 3]"
  std::vector<int64_t> numbers;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    int64_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc()) numbers.push_back(number);
    at = read.ec == std::errc() ? read.ptr : at + 1;
  }
  const bool sound = numbers.size() == 2 && numbers[0] >= 1 && numbers[0] <= most &&
                     (numbers[1] == 2 || numbers[1] == 3);
  return sound ? KeyPointShape{numbers[0], numbers[1]} : KeyPointShape{};
}

std::optional<size_t> output_named(const Clues& clues,
                                   std::initializer_list<std::string_view> names) {
  for (size_t i = 0; i < clues.outputs.size(); ++i)
    for (const std::string_view name : names)
      if (is_named(clues.outputs[i].name, name)) return i;
  return std::nullopt;
}

std::optional<ListShape> list_shape(const Clues& clues, size_t output) {
  const std::vector<int64_t>& dims = clues.outputs[output].dims;
  if (dims.size() != 3 || dims[0] != 1 || dims[1] < 1 || dims[2] < 1) return std::nullopt;
  if (covers_cells(dims[1], 1, clues.input) || covers_cells(dims[1], 3, clues.input))
    return std::nullopt;
  return ListShape{dims[1], dims[2]};
}

Table table_of(const Clues& clues, Values values, size_t output, bool transposed) {
  const std::vector<int64_t>& dims = clues.outputs[output].dims;
  const auto first = static_cast<size_t>(dims[1]), second = static_cast<size_t>(dims[2]);
  return {values[output], transposed ? second : first, transposed ? first : second, transposed};
}

std::optional<Shape> prototype_shape(const Clues& clues, size_t output) {
  const std::vector<int64_t>& dims = clues.outputs[output].dims;
  if (dims.size() != 4 || dims[0] != 1 || dims[1] < 1 || dims[2] < 1 || dims[3] < 1)
    return std::nullopt;
  if (dims[2] * clues.input.w != dims[3] * clues.input.h) return std::nullopt;
  return Shape{static_cast<int32_t>(dims[2]), static_cast<int32_t>(dims[3]),
               static_cast<int32_t>(dims[1])};
}

Prototypes prototypes_of(const Clues& clues, Values values, size_t output) {
  const Shape shape = *prototype_shape(clues, output);
  return {values[output], static_cast<size_t>(shape.c), shape.h, shape.w};
}

std::vector<float> numbers_of(const Table& table, size_t row, size_t begin, size_t end) {
  std::vector<float> numbers;
  for (size_t column = begin; column < end; ++column) numbers.push_back(table(row, column));
  return numbers;
}

std::vector<KeyPoint> points_of(const Table& table, size_t row, size_t begin, KeyPointShape shape) {
  std::vector<KeyPoint> points;
  for (int64_t i = 0; i < shape.points; ++i) {
    const size_t at = begin + static_cast<size_t>(i * shape.numbers);
    const KeyPoint point{table(row, at), table(row, at + 1),
                         shape.numbers == 3 ? table(row, at + 2) : 1.0F};
    const bool finite =
        std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.score);
    points.push_back(finite ? point : KeyPoint{});
  }
  return points;
}

Preparation ultralytics_preparation(const Clues&) {
  return {.fit = Fit::centred, .colour = ColourOrder::rgb};
}

}  // namespace shingle
