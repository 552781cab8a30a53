#include "tests/networks/channels_last.hpp"

#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::networks {

namespace {

using Dims = std::vector<int64_t>;

class Writer {
 public:
  explicit Writer(ChannelOrder order) : last_(order == ChannelOrder::last) {}

  std::string weights(const Dims& dims) {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = static_cast<float>(random_.between(-1000, 1000)) / 2000.0F;
    return graph_.floats(dims, values);
  }

  // One number for each channel of a map.
  std::string by_channel(const std::vector<float>& values) {
    const auto count = static_cast<int64_t>(values.size());
    return graph_.floats(last_ ? Dims{count} : Dims{count, 1, 1}, values);
  }

  // What looks at a map does so with the channels first.
  std::string conv(const std::string& x, const Dims& dims, const OnnxAttributes& attributes) {
    const std::string first = turned(x, {0, 3, 1, 2});
    return turned(graph_.node("Conv", {first, weights(dims)}, attributes), {0, 2, 3, 1});
  }

  std::string normalised(const std::string& x) {
    const std::string first = turned(x, {0, 3, 1, 2});
    const std::string variance = graph_.floats({8}, {1, 2, 3, 4, 4, 3, 2, 1});
    return turned(graph_.node("BatchNormalization",
                              {first, weights({8}), weights({8}), weights({8}), variance}),
                  {0, 2, 3, 1});
  }

  std::string file(bool with_map) {
    graph_.input("picture", last_ ? Dims{1, 24, 32, 3} : Dims{1, 3, 24, 32}, ElementType::f32);
    std::string x = graph_.node("Sub", {"picture", by_channel({123.0F, 117.0F, 104.0F})});
    x = graph_.node("Mul", {x, graph_.scalar(0.0078125F)});
    x = conv(x, {8, 3, 3, 3}, {{"strides", Dims{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}});
    x = graph_.node("Clip", {normalised(x), graph_.scalar(0.0F), graph_.scalar(6.0F)});
    x = conv(x, {8, 1, 3, 3}, {{"group", int64_t{8}}, {"pads", Dims(4, 1)}});
    x = graph_.node("Add", {x, by_channel({1, -1, 2, -2, 0.5F, 0, 0.25F, 3})});
    x = conv(graph_.node("Relu", {x}), {4, 8, 1, 1}, {});
    graph_.node("Identity", {x}, {}, "map");
    const std::string pooled =
        graph_.node("ReduceMean", {"map"},
                    {{"axes", last_ ? Dims{1, 2} : Dims{2, 3}}, {"keepdims", int64_t{0}}});
    const std::string dense = graph_.node("MatMul", {pooled, weights({4, 5})});
    graph_.node("Softmax", {graph_.node("Add", {dense, weights({5})})}, {}, "scores");
    graph_.output("scores", {});
    if (with_map) graph_.output("map", {});
    return graph_.file();
  }

 private:
  std::string turned(const std::string& x, const Dims& permutation) {
    return last_ ? graph_.node("Transpose", {x}, {{"perm", permutation}}) : x;
  }

  bool last_;
  OnnxGraph graph_;
  Random random_{9};
};

}  // namespace

std::string keras_network(ChannelOrder order, bool with_map) {
  return Writer(order).file(with_map);
}

}  // namespace shingle::networks
