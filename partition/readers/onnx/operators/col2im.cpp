// Col2Im: sums windows of an image where they overlap. It is a transposed convolution, channel by
// channel, whose weights put each element of a window at its place.
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/window.hpp"

namespace shingle::onnx {

namespace {

// [channels][taps][taps]: channels of windows, the kernel of each.
std::vector<float> places_in_window(int64_t channels, int64_t taps) {
  std::vector<float> weights(static_cast<size_t>(channels * taps * taps), 0.0F);
  for (int64_t i = 0; i < channels * taps; ++i)
    weights[static_cast<size_t>(i * taps + i % taps)] = 1.0F;
  return weights;
}

}  // namespace

void col2im(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view), image = node.integer_list(1), block = node.integer_list(2);
  if (dims.size() != 3 || dims[0] != 1 || image.size() != 2 || block.size() != 2) {
    node.refuse("its input " + text_of(dims) + ", image " + text_of(image) + " and block " +
                text_of(block) + " are not one frame of windows of height and width");
  }
  const View sizes_of_image = node.new_map({1, 1, image[0], image[1]});
  const Windows window = windows(node, sizes(sizes_of_image), block);
  const int64_t height = output_size(window.y, static_cast<int32_t>(image[0]));
  const int64_t width = output_size(window.x, static_cast<int32_t>(image[1]));
  const int64_t taps = block[0] * block[1];  // each at most 2^20
  if (height < 1 || width < 1 || dims[2] != height * width || dims[1] % taps != 0) {
    node.refuse("its input " + text_of(dims) + " does not hold " + std::to_string(height) + "x" +
                std::to_string(width) + " windows of " + text_of(block));
  }
  const int64_t channels = dims[1] / taps;
  node.store().budget.charge(checked_elements({dims[1], taps}, node.store().limits));
  const Box map = node.as_map(reshaped_box(node, box, {1, dims[1], height, width}));
  const View view = node.new_map({1, channels, image[0], image[1]});
  node.set(node.emit(
      TransposedConvolution{.y = window.y,
                            .x = window.x,
                            .groups = static_cast<int32_t>(channels),
                            .weights = add_constant(node.model(), places_in_window(channels, taps)),
                            .bias = std::nullopt},
      {map.tensor}, view, box_shape(view)));
}

}  // namespace shingle::onnx
