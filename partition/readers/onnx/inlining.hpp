// Inlining: the nodes of a function of the file take the place of a node that calls it, and those
// of a branch that of an If. Values made inside get names of their own ("conv_out#12").
//
//     h = f(x, 3)     f(a; k): t = Relu(a)         t#1 = Relu(x)
//                              return Pow(t, k)    h = Pow(t#1, 3)
//
// How many nodes this makes, and how much it copies, is limited by the reader's limits.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

class Inlining {
 public:
  using Nodes = std::vector<NodeProto>;

  // Of `file`, which must outlive it and what it makes; its functions stay as they are. Throws
  // Refusal if two functions have one name.
  Inlining(File& file, const OnnxLimits& limits);

  // The file's graph, every call of a function replaced.
  void inline_functions();

  // Adds the nodes of `branch`, calls replaced, to `to`; they make the outputs of `node`, an If.
  // REQUIRES: `branch` belongs to `node`.
  void add_branch(const NodeProto& node, const std::shared_ptr<const Graph>& branch, Nodes& to);

  // Adds the nodes of both branches of an If, and for each of its outputs an If of three inputs:
  // the condition, and what either branch makes.
  struct Branches {
    std::shared_ptr<const Graph> yes, no;
  };
  void add_both(const NodeProto& node, const Branches& branches, Nodes& to);

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  // From a name inside to the one outside. Names that are not in it stay as they are.
  using Names = std::unordered_map<std::string_view, std::string_view>;
  struct Call;

  const Function* called_by(const NodeProto& node) const;
  void add(NodeProto node, int depth, Nodes& to);
  void add_function(const NodeProto& node, const Function& function, int depth, Nodes& to);
  void name_values(Call& call, const Nodes& constants, const Nodes& nodes);
  void add_nodes(const Call& call, const Nodes& nodes, int depth, Nodes& to);
  void add_outputs(const Call& call, Nodes& to);
  NodeProto renamed(const NodeProto& node, const Call& call);
  std::shared_ptr<const Graph> renamed(const Graph& graph, const Call& call);
  std::vector<Attribute> attributes_of(const NodeProto& node, const Call& call);
  std::string_view fresh(std::string_view name);
  std::string_view joined(const NodeProto& outer, const NodeProto& inner);
  void charge(size_t items);

  File& file_;
  std::map<Key, const Function*> functions_;
  size_t most_, copied_ = 0, made_ = 0;
};

}  // namespace shingle::onnx
