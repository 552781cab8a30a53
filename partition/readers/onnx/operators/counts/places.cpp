#include "partition/readers/onnx/operators/counts/places.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/indexing/indexing.hpp"
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
  Dims line(dims_of(value).size(), 1);
  line[dim] = places.most;
  const Box indices{.tensor = places.tensor,
                    .view = map_view(line, std::vector<Axis>(line.size(), Axis::x))};
  return std::get<Box>(taken(node, value, dim, indices));
}

}  // namespace shingle::onnx
