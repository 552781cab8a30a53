// Exporter: an ONNX file under construction as exporters write it: node by node, each value with
// its dims, weights as initializers. Never made from a Model.
#pragma once

#include <map>
#include <optional>

#include "tests/networks/exported/exported.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::networks {

using Dims = std::vector<int64_t>;

struct Value {
  std::string name;  // empty: an optional input that is left out
  Dims dims;
};

inline int64_t elements(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

// A network whose rows are the best of many: what tells rows apart, and by what they were chosen.
// [1, rows, 1] or [1, rows].
struct Selection {
  std::vector<Value> keys;
  Value scores;
};

class Exporter {
 public:
  Exporter(int64_t opset, uint64_t seed) : opset_(opset), random_(seed) {}
  int64_t opset() const { return opset_; }

  Value input(const Dims& dims);
  void output(const Value& value);
  void select(const Selection& selection) { selection_ = selection; }

  // A node with one output of these dims, or with several.
  Value node(std::string_view op, const std::vector<Value>& inputs,
             const OnnxAttributes& attributes, const Dims& dims);
  std::vector<Value> nodes(std::string_view op, const std::vector<Value>& inputs,
                           const OnnxAttributes& attributes, const std::vector<Dims>& dims);

  // Initializers. Normal: of this deviation around `mean`, from the seed.
  Value normal(const Dims& dims, float deviation, float mean = 0.0F);
  Value floats(const Dims& dims, const std::vector<float>& values);
  Value scalar(float value) { return floats({}, {value}); }
  Value integers(const std::vector<int64_t>& values) {
    return integers(values, {std::ssize(values)});
  }
  Value integers(const std::vector<int64_t>& values, const Dims& dims);
  Value integer(int64_t value) { return integers({value}, {}); }

  Exported finish(bool with_selection);

 private:
  struct Written {
    std::string op;
    std::vector<std::string> inputs, outputs;
  };
  void put_selection_out();
  int64_t layer_wise_bytes() const;

  OnnxGraph graph_;
  int64_t opset_;
  Random random_;
  std::vector<Written> written_;
  std::map<std::string, int64_t> bytes_;  // of what nodes write, without the graph's outputs
  int64_t values_ = 0;
  std::optional<Selection> selection_;
};

}  // namespace shingle::networks
