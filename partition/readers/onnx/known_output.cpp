#include "partition/readers/onnx/known_output.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

// 0 if the element is a number, infinite or none: nothing is less than itself.
Box zero(Node& node, TensorId frame) {
  const View one_element;  // of a value without dims
  const Box first = node.emit(StridedSlice{}, {frame}, one_element, box_shape(one_element));
  return node.emit(Binary{Binary::Kind::less}, {first.tensor, first.tensor}, one_element);
}

}  // namespace

Box known_output(Node& node, TensorId frame, const Constant& constant) {
  const View view = node.new_map(constant.dims);
  const TensorId values = spread(node, view, constant);
  return node.emit(Binary{Binary::Kind::drop}, {values, zero(node, frame).tensor}, view);
}

}  // namespace shingle::onnx
