#include "apps/heads/clues.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace shingle {
namespace {

constexpr size_t anchor_count = 9;
constexpr float largest_side = 1e5F;

constexpr const char* yolov5_anchors =
    "10,13,16,30,33,23,30,61,62,45,59,119,116,90,156,198,373,326";
constexpr const char* yolov7_anchors =  // github.com/WongKinYiu/yolov7, cfg/training/yolov7.yaml
    "12,16,19,36,40,28,36,75,76,55,72,146,142,110,192,243,459,401";

std::vector<float> numbers_in(std::string_view text) {
  std::vector<float> numbers;
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    float number = 0.0F;
    const auto read = std::from_chars(text.data(), text.data() + end, number);
    if (read.ec != std::errc() || read.ptr != text.data() + end) return {};
    numbers.push_back(number);
    if (end == text.size()) return numbers;
    text.remove_prefix(end + 1);
  }
}

// 1xHxWxC of a map whose rows, columns and channels these are.
bool has_channels_last(const ModelOutput& output) {
  return output.dims.size() == 4 && output.dims[0] == 1 && output.dims[3] > 1 &&
         output.dim_axes[1] == output.box_axes[0] && output.dim_axes[2] == output.box_axes[1] &&
         output.dim_axes[3] == output.box_axes[2];
}

ModelOutput with_channels_first(ModelOutput output) {
  std::rotate(output.dims.begin() + 1, output.dims.begin() + 3, output.dims.end());
  std::rotate(output.dim_axes.begin() + 1, output.dim_axes.begin() + 3, output.dim_axes.end());
  return output;
}

}  // namespace

Clues clues_of(const Model& model, const OnnxMetadata& metadata) {
  Clues clues{.input = {}, .outputs = {}, .metadata = metadata};
  for (const ModelOutput& output : model.outputs) {
    if (output.is_only_count) continue;
    const bool last = has_channels_last(output);
    if (last) clues.channels_last.push_back(clues.outputs.size());
    clues.outputs.push_back(last ? with_channels_first(output) : output);
  }
  if (const auto shape = picture_shape(model)) clues.input = *shape;
  clues.takes_sizes = picture_size_input(model).has_value();
  return clues;
}

Clues clues_of(const ModelFile& file) {
  Clues clues = clues_of(file.model, file.metadata);
  clues.detections = file.detections;
  return clues;
}

Result<std::vector<Anchor>> read_anchors(const std::string& text) {
  const bool known = text == "yolov5" || text == "yolov7";
  const std::vector<float> numbers = numbers_in(!known             ? text
                                                : text == "yolov5" ? yolov5_anchors
                                                                   : yolov7_anchors);
  std::vector<Anchor> anchors;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
    const Anchor anchor{numbers[i], numbers[i + 1]};
    if (!(anchor.width > 0.0F && anchor.width <= largest_side && anchor.height > 0.0F &&
          anchor.height <= largest_side))
      return Error{"--anchors takes sizes in pixels, above 0 and at most 100000"};
    anchors.push_back(anchor);
  }
  if (numbers.size() != 2 * anchor_count)
    return Error{
        "--anchors takes yolov5, yolov7 or 18 numbers with commas: width and height of three "
        "anchors for each of the strides 8, 16 and 32"};
  return anchors;
}

}  // namespace shingle
