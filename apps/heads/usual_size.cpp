#include "apps/heads/usual_size.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "apps/heads/clues.hpp"
#include "apps/heads/reading.hpp"

namespace shingle {
namespace {

struct Size {
  int64_t h = 640, w = 640;
};

// Of an image where it has four dimensions; else the least that there is.
InputShapes shapes_at(const std::vector<OnnxInput>& inputs, Size size) {
  InputShapes shapes;
  for (const OnnxInput& input : inputs) {
    const bool image = input.dims.size() == 4;
    const size_t rows = has_channels_last(input) ? 1 : 2;  // the dim of the height
    std::vector<int64_t>& shape = shapes.emplace_back();
    for (size_t i = 0; i < input.dims.size(); ++i) {
      const int64_t open = !image || i == 0 ? 1 : i == rows ? size.h : i == rows + 1 ? size.w : 3;
      shape.push_back(input.dims[i].size > 0 ? input.dims[i].size : open);
    }
  }
  return shapes;
}

// Ultralytics' metadata say it: "imgsz" is "[640, 640]".
std::optional<Size> stated_size(const OnnxMetadata& metadata) {
  for (const MetadataEntry& entry : metadata) {
    if (entry.key != "imgsz") continue;
    std::vector<int64_t> numbers;
    const char *at = entry.value.data(), *end = at + entry.value.size();
    while (at != end) {
      int64_t number = 0;
      const auto read = std::from_chars(at, end, number);
      if (read.ec == std::errc() && number > 0) numbers.push_back(number);
      at = read.ec == std::errc() ? read.ptr : at + 1;
    }
    if (numbers.size() == 1) return Size{numbers[0], numbers[0]};
    if (numbers.size() == 2) return Size{numbers[0], numbers[1]};
  }
  return std::nullopt;
}

// Largest first: smaller maps may be too small for a network's windows.
std::set<int64_t, std::greater<>> usual_sizes() {
  std::set<int64_t, std::greater<>> sizes;
  for (const Head* head : all_heads()) sizes.insert(head->usual_size);
  return sizes;
}

std::string spelled(InputShapes shapes) {
  shapes.resize(std::min<size_t>(shapes.size(), 16));  // as many as --shape takes
  return to_string(shapes);
}

// What to write behind --shape, and why.
std::string with_reason(const OpenModel& model, const ReadAtSizes& read_at) {
  const auto shape = [&](int64_t size) { return shapes_at(model.inputs, {size, size}); };
  if (const auto stated = stated_size(model.metadata))
    return spelled(shapes_at(model.inputs, *stated)) + " (what it was exported for)";
  std::optional<int64_t> possible;
  for (const int64_t size : usual_sizes()) {
    const auto read = read_at(shape(size));
    if (!read) continue;
    const Clues clues = clues_of(*read, model.metadata);
    const Head* head = recognised_head(clues);
    if (head != &raw_head)
      return spelled(shape(head->usual_size)) + " (what " + head->name + " usually takes)";
    const auto heads = possible_heads(clues);
    if (!possible) possible = heads.empty() ? std::min(size, Size{}.h) : heads.front()->usual_size;
  }
  return spelled(shape(possible.value_or(Size{}.h)));
}

}  // namespace

std::optional<std::string> usual_shape(const OpenModel& model, const ReadAtSizes& read_at) {
  const auto probe = read_at(shapes_at(model.inputs, {Size{}.h, Size{}.h}));
  if (!probe && probe.error() == model.refusal) return std::nullopt;
  return "set it with --shape, such as --shape " + with_reason(model, read_at);
}

}  // namespace shingle
