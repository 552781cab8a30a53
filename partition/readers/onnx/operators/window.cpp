#include "partition/readers/onnx/operators/window.hpp"

#include "partition/base/text.hpp"
#include "partition/model/shape.hpp"

namespace shingle::onnx {

namespace {

int32_t checked(const Node& node, std::string_view what, int64_t value, int64_t least) {
  if (value < least || value > max_window) {
    node.refuse("its " + std::string(what) + " holds " + std::to_string(value) +
                ", and shingle takes " + std::to_string(least) + " to " +
                std::to_string(max_window));
  }
  return static_cast<int32_t>(value);
}

// SAME_UPPER and SAME_LOWER: ceil(size / stride) outputs; an odd pad goes to the end or the
// beginning.
void pad_to_same(Window& window, int64_t size, bool upper) {
  const int64_t outputs = (size + window.stride - 1) / window.stride;
  const int64_t total = std::max<int64_t>((outputs - 1) * window.stride + extent(window) - size, 0);
  window.pad_begin = static_cast<int32_t>(upper ? total / 2 : total - total / 2);
  window.pad_end = static_cast<int32_t>(total) - window.pad_begin;
}

void pad(const Node& node, const Dims& input, Windows& windows) {
  const std::string_view mode = node.text("auto_pad", "NOTSET");
  const bool flat = input.size() == 3;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    const bool upper = mode == "SAME_UPPER";
    if (!flat) pad_to_same(windows.y, input[2], upper);
    pad_to_same(windows.x, input.back(), upper);
  } else if (mode == "NOTSET" || mode.empty()) {
    const size_t spatial = input.size() - 2;
    const Dims pads = list_attribute(node, "pads", 2 * spatial, 0);
    const auto at = [&](size_t i) { return checked(node, "padding", pads[i], 0); };
    if (!flat) windows.y.pad_begin = at(0), windows.y.pad_end = at(spatial);
    windows.x.pad_begin = at(spatial - 1), windows.x.pad_end = at(2 * spatial - 1);
  } else if (mode != "VALID") {
    node.refuse("its auto_pad is " + in_quotes(mode) + ", which is unknown");
  }
}

}  // namespace

int64_t outputs_of(const Window& window, int64_t size, bool ceil) {
  const int64_t floor = output_size(window, static_cast<int32_t>(size));
  if (!ceil || floor < 1) return floor;
  const int64_t rest = (size + window.pad_begin + window.pad_end - extent(window)) % window.stride;
  const bool one_more = rest != 0 && floor * window.stride < size + window.pad_begin;
  return floor + (one_more ? 1 : 0);
}

Dims list_attribute(const Node& node, std::string_view name, size_t count, int64_t otherwise) {
  Dims list = node.integers(name, Dims(count, otherwise));
  if (list.size() != count) {
    node.refuse("its " + std::string(name) + " has " + std::to_string(list.size()) +
                " numbers where " + std::to_string(count) + " are needed");
  }
  return list;
}

Windows unpadded_windows(const Node& node, const Dims& input, const Dims& kernel) {
  const size_t spatial = input.size() - 2;
  if (kernel.size() != spatial) {
    node.refuse("its kernel has " + std::to_string(kernel.size()) + " dimensions on a map of " +
                std::to_string(spatial));
  }
  const Dims strides = list_attribute(node, "strides", spatial, 1);
  const Dims dilations = list_attribute(node, "dilations", spatial, 1);
  const auto window = [&](size_t i) {
    Window result{.kernel = checked(node, "kernel", kernel[i], 1),
                  .stride = checked(node, "strides", strides[i], 1),
                  .dilation = checked(node, "dilations", dilations[i], 1)};
    if (int64_t{result.kernel - 1} * result.dilation >= max_window) {
      node.refuse("its dilated kernel is larger than " + std::to_string(max_window));
    }
    return result;
  };
  Windows result;
  if (spatial == 2) result.y = window(0);
  result.x = window(spatial - 1);
  return result;
}

Windows windows(const Node& node, const Dims& input, const Dims& kernel) {
  Windows result = unpadded_windows(node, input, kernel);
  pad(node, input, result);
  return result;
}

}  // namespace shingle::onnx
