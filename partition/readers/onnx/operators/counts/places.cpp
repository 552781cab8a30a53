#include "partition/readers/onnx/operators/counts/places.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

Places places_that_hold(Node& node, const Box& box) {
  const std::vector<Axis> one_row(box.view.dims.size(), Axis::c);
  const Box row = node.laid_out(box, arranged(box.view, one_row));
  const int64_t most = box_shape(row.view).c;
  const Box places = node.emit(NonZero{}, {row.tensor}, map_view({most}, {Axis::x}));
  return {.tensor = places.tensor, .most = most, .count = places_in(node, places)};
}

Amount places_in(Node& node, const Box& list) {
  const Constant zero = node.store().floats({}, {0.0F});
  const Box found = combine(node, Binary::Kind::less_or_equal, zero, list);
  const std::vector<bool> all(found.view.dims.size(), true);
  const TensorId total = reduced(node, Reduction::Kind::sum, found, all).tensor;
  return amount_of(total, 0, size_of(list.view, 0));
}

Box picked(Node& node, const Value& value, size_t dim, const Places& places) {
  Dims dims = dims_of(value);
  std::vector<Axis> axes(dims.size(), Axis::y);
  axes[dim] = Axis::x;
  for (size_t other = dim + 1; other < dims.size(); ++other) axes[other] = Axis::c;
  const Box* box = std::get_if<Box>(&value);
  const TensorId map = box != nullptr
                           ? node.laid_out(*box, arranged(box->view, axes)).tensor
                           : spread(node, map_view(dims, axes), std::get<Constant>(value));
  dims[dim] = places.most;
  node.new_map(dims);  // refuses sizes beyond the limits
  return node.emit(Take{Axis::x}, {places.tensor, map}, map_view(dims, axes));
}

}  // namespace shingle::onnx
