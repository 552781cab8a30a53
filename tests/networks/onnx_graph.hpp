// OnnxGraph: an ONNX file (onnx.proto3) under construction, node by node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle::networks {

// A graph within a node, such as a branch of an If; and, in a function, an attribute of its caller.
struct OnnxInner {
  std::string encoded;  // OnnxGraph::graph()
};
struct OnnxReference {
  std::string attribute;
};
using OnnxValue =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, OnnxInner, OnnxReference>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxValue>>;

class OnnxGraph {
 public:
  OnnxGraph() = default;
  // `prefix`: of the names that it makes up, for graphs within graphs.
  explicit OnnxGraph(std::string prefix) : prefix_(std::move(prefix)) {}

  void input(std::string_view name, const std::vector<int64_t>& dims, ElementType type);
  // Each dimension is a number, or a symbol for a size that the file leaves open; "": open, without
  // a symbol.
  void open_input(std::string_view name, const std::vector<std::string>& dims);
  void output(std::string_view name, const std::vector<int64_t>& dims);

  // Adds a node with one output and returns the output's name; without `output`, the name is a new
  // one. Empty input names are optional inputs that are left out. "some.domain::Op" is of a domain.
  std::string node(std::string_view op, const std::vector<std::string>& inputs,
                   const OnnxAttributes& attributes = {}, std::string output = {});

  // Adds a node whose outputs the caller names.
  void node_with_outputs(std::string_view op, const std::vector<std::string>& inputs,
                         const OnnxAttributes& attributes, const std::vector<std::string>& outputs);

  // Adds an initializer and returns its name.
  std::string floats(const std::vector<int64_t>& dims, const std::vector<float>& values);
  std::string integers(const std::vector<int64_t>& values);
  // Of any element type, given by its number in onnx.proto3; `raw` is its raw_data.
  std::string tensor(const std::vector<int64_t>& dims, int64_t type, const std::string& raw);
  // Elements of a type in the file `location`; empty texts are left out.
  struct Place {
    std::string location, offset, length;
  };
  std::string external(const std::vector<int64_t>& dims, const Place& place, int64_t type = 1);
  std::string scalar(float value) { return floats({}, {value}); }

  void metadata(std::string_view key, std::string_view value);  // metadata_props

  std::string graph() const;  // encoded
  // The nodes so far as the function "some.domain::Op"; opset 0: it names none.
  struct Signature {
    std::string name;
    std::vector<std::string> inputs, outputs;
    OnnxAttributes defaults{};
    int64_t opset = 0;
  };
  std::string function(const Signature& signature) const;  // encoded
  void add_function(const std::string& encoded);           // to the file

  std::string file(int64_t opset_version = 13) const;
  std::string file_with(const std::string& encoded_fields) const;  // further GraphProto fields

 private:
  std::string encoded(const std::string& more, int64_t opset_version) const;
  std::string fresh(std::string_view stem);

  std::string prefix_;
  std::string nodes_, initializers_, inputs_, outputs_;  // encoded fields of the GraphProto
  std::string metadata_, functions_;                     // and of the ModelProto
  int64_t count_ = 0;
};

}  // namespace shingle::networks
