// The hash of a model built by hand: the hash of one byte string that contains everything, each
// constant as its own hash. Lists and texts start with their length, so no two models give the same
// bytes.
#include <type_traits>

#include "partition/model/model.hpp"

namespace shingle {

namespace {

class Transcript {
 public:
  Hash hash() const { return sha256(bytes_); }

  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void put(Number number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const Hash& hash) {
    bytes_.append(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
  }
  template <class Tag>
  void put(Id<Tag> id) {
    put(id.value);
  }
  void put(Shape shape) { put_all(shape.h, shape.w, shape.c); }
  void put(const Window& w) { put_all(w.kernel, w.stride, w.dilation, w.pad_begin, w.pad_end); }
  void put(const Activation& a) { put_all(a.kind, a.alpha, a.beta); }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(list.size());
    for (const T& item : list) put(item);
  }
  template <class T, size_t n>
  void put(const std::array<T, n>& list) {
    for (const T& item : list) put(item);
  }
  void put(const FloatView& view) { put(sha256(view.bytes())); }

  void put(const Convolution& op) { put_all(op.y, op.x, op.groups, op.weights, op.bias); }
  void put(const TransposedConvolution& op) { put_all(op.y, op.x, op.groups, op.weights, op.bias); }
  void put(const Pooling& op) { put_all(op.kind, op.y, op.x, op.count_padding); }
  void put(const Reduction& op) { put_all(op.kind, op.y, op.x, op.c); }
  void put(const Elementwise&) {}
  void put(const Binary& op) { put(op.kind); }
  void put(const Concat& op) { put(op.axis); }
  void put(const StridedSlice& op) { put_all(op.begin, op.step); }
  void put(const Gather& op) { put_all(op.axis, op.indices); }
  void put(const Pad& op) { put_all(op.before, op.after, op.value); }
  void put(const Resize& op) {
    put_all(op.kind, op.coordinates, op.rounding, op.scale_y, op.scale_x);
  }
  void put(const Rearrange& op) { put_all(op.factors, op.input_axes, op.output_axes); }
  void put(const Softmax& op) { put_all(op.axis, op.log, op.groups); }
  void put(const Convert& op) { put_all(op.scale, op.offset); }
  void put(const MatrixProduct& op) { put_all(op.stack, op.turned); }
  void put(const GridSample& op) { put_all(op.kind, op.padding, op.align_corners); }
  void put(const Order& op) { put_all(op.axis, op.count, op.largest); }
  void put(const Take& op) { put(op.axis); }
  void put(const Scatter& op) { put_all(op.axis, op.kind); }
  void put(const Suppression& op) {
    put_all(op.centers, op.most_boxes, op.most_overlap, op.least_score);
  }
  void put(const NonZero&) {}
  void put(const Recurrence& op) {
    put_all(op.kind, op.hidden, op.backward, op.weights, op.state_bias, op.peepholes);
    put_all(op.activations, op.clip, op.input_forget, op.reset_after, op.lengths);
  }
  void put(const Operator& op) {
    put(op.index());
    std::visit([this](const auto& alternative) { put(alternative); }, op);
  }

  void put(const Tensor& t) { put_all(t.name, t.shape, t.type, t.constant); }
  void put(const Layer& l) { put_all(l.name, l.op, l.inputs, l.output, l.activation); }
  void put(const ModelOutput& o) {
    put_all(o.name, o.tensor, o.dims, o.factors, o.box_axes, o.dim_axes);
    for (const ModelOutput::Counted& counted : o.counted) put_all(counted.dim, counted.output);
  }

 private:
  template <class... Parts>
  void put_all(const Parts&... parts) {
    (put(parts), ...);
  }

  std::string bytes_;
};

}  // namespace

ModelHash structural_hash(const Model& model) {
  Transcript transcript;
  transcript.put(model.tensors);
  transcript.put(model.layers);
  transcript.put(model.inputs);
  transcript.put(model.outputs);
  transcript.put(model.constants);
  return transcript.hash();
}

}  // namespace shingle
