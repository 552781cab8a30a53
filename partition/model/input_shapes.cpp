#include "partition/model/input_shapes.hpp"

#include <charconv>

namespace shingle {

namespace {

constexpr size_t max_inputs = 16, max_rank = 16;
constexpr int64_t max_size = 1 << 20;

}  // namespace

std::optional<InputShapes> read_input_shapes(std::string_view text) {
  InputShapes shapes(1);
  const char *at = text.data(), *end = text.data() + text.size();
  while (true) {
    int64_t size = 0;
    const auto read = std::from_chars(at, end, size);
    if (read.ec != std::errc() || size < 1 || size > max_size) return std::nullopt;
    if (shapes.back().size() == max_rank) return std::nullopt;
    shapes.back().push_back(size);
    if (read.ptr == end) return shapes;
    if (*read.ptr != 'x' && *read.ptr != ',') return std::nullopt;
    if (*read.ptr == ',') {
      if (shapes.size() == max_inputs) return std::nullopt;
      shapes.emplace_back();
    }
    at = read.ptr + 1;
  }
}

std::string to_string(const InputShapes& shapes) {
  std::string text;
  for (const std::vector<int64_t>& shape : shapes) {
    if (!text.empty()) text += ',';
    for (size_t i = 0; i < shape.size(); ++i)
      text.append(i > 0 ? "x" : "") += std::to_string(shape[i]);
  }
  return text;
}

}  // namespace shingle
