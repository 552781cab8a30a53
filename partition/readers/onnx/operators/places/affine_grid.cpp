// AffineGrid: the places [N, height, width, 2] that a matrix [N, 2, 3] makes of a regular grid.
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/product.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

// The places of `size` pixels between -1 and 1, which are the middles of the outermost pixels
// (align_corners) or their outer edges. One pixel lies in the middle.
double place(int64_t index, int64_t size, bool align_corners) {
  if (size == 1) return 0.0;
  const auto i = static_cast<double>(index), count = static_cast<double>(size);
  return align_corners ? 2.0 * i / (count - 1.0) - 1.0 : (2.0 * i + 1.0) / count - 1.0;
}

// A constant matrix and a regular grid, multiplied out in double.
Constant moved(Node& node, const Constant& theta, int64_t height, int64_t width, bool align) {
  const Dims dims{theta.dims[0], height, width, 2};
  node.store().budget.charge(checked_elements(dims, node.store().limits));
  std::vector<float> values;
  for (int64_t frame = 0; frame < dims[0]; ++frame) {
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t x = 0; x < width; ++x) {
        for (int64_t row = frame * 2; row < frame * 2 + 2; ++row) {
          values.push_back(static_cast<float>(theta.at(row * 3) * place(x, width, align) +
                                              theta.at(row * 3 + 1) * place(y, height, align) +
                                              theta.at(row * 3 + 2)));
        }
      }
    }
  }
  return node.store().floats(dims, std::move(values));
}

// [height * width][3]: x, y and 1 of each place.
Constant regular(Node& node, int64_t height, int64_t width, bool align) {
  const Dims dims{checked_elements({height, width}, node.store().limits), 3};
  node.store().budget.charge(checked_elements(dims, node.store().limits));
  std::vector<float> values;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      values.push_back(static_cast<float>(place(x, width, align)));
      values.push_back(static_cast<float>(place(y, height, align)));
      values.push_back(1.0F);
    }
  }
  return node.store().floats(dims, std::move(values));
}

}  // namespace

void affine_grid(Node& node) {
  const Dims theta = node.dims(0), size = node.integer_list(1);
  const bool fits = theta.size() == 3 && theta[1] == 2 && theta[2] == 3 && size.size() == 4;
  if (!fits || size[0] != theta[0]) {
    node.refuse("its theta " + text_of(theta) + " and its size " + text_of(size) +
                " are not Nx2x3 and NxCxHxW");
  }
  for (const int64_t each : size) {
    if (each < 1) node.refuse("its size is " + text_of(size));
  }
  const int64_t height = size[2], width = size[3];
  const bool align = node.integer("align_corners", 0) != 0;
  if (node.is_constant(0)) return node.set(moved(node, node.floats(0), height, width, align));
  const Box grid = matrix_product(node, regular(node, height, width, align),
                                  permuted(node, node.value(0), {0, 2, 1}));
  node.set(reshaped_value(node, grid, {theta[0], height, width, 2}));
}

}  // namespace shingle::onnx
