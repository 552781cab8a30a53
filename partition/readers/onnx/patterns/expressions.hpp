// Expressions: what the nodes of a graph compute of one value and of constants of one element,
// before anything is translated. So a function that an exporter wrote out as arithmetic is found
// whatever the order of its factors.
#pragma once

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// A constant of one element, of at most one dim. `precision`: how far it may be from the number
// that the exporter meant, because of its type, relative to that number.
struct Scalar {
  double value = 0.0, precision = 0.0;
};

// c[0] + c[1]*x + c[2]*x^2 + c[3]*x^3
struct Polynomial {
  std::array<double, 4> c{};
  double precision = 0.0;  // the worst of its constants'
};

// Is it the number that is wanted, as far as the precision tells?
bool is_near(double value, double wanted, double precision);
bool is_near(const Polynomial& polynomial, const std::array<double, 4>& wanted);

// A value as scale * inner, where `inner` is no product with a scalar itself.
struct Scaled {
  std::string_view inner;
  double scale = 1.0, precision = 0.0;
};

class Expressions {
 public:
  explicit Expressions(const Graph& graph);  // must outlive it

  const NodeProto* producer(std::string_view name) const;  // null: an input or an initializer
  // The same if it is a node of ONNX's own with this operator.
  const NodeProto* producer(std::string_view name, std::string_view op) const;
  size_t index_of(const NodeProto& node) const;  // REQUIRES: a node of the graph
  int64_t uses(std::string_view name) const;     // by nodes and as outputs of the graph
  bool depends_on_input(std::string_view name) const { return dependent_.contains(name); }

  std::optional<Scalar> scalar(std::string_view name) const;
  std::optional<Polynomial> polynomial(std::string_view name, std::string_view x) const;
  Scaled scaled(std::string_view name) const;

 private:
  bool is_dependent(const NodeProto& node) const;  // REQUIRES: the nodes before it are known
  std::optional<Scalar> scalar(std::string_view name, int depth) const;
  std::optional<Scalar> scalar_of(const NodeProto& node, int depth) const;
  std::optional<Polynomial> polynomial(std::string_view name, std::string_view x, int depth) const;
  std::optional<Polynomial> polynomial_of(const NodeProto& node, std::string_view x,
                                          int depth) const;

  const Graph& graph_;
  std::unordered_map<std::string_view, size_t> producers_;
  std::unordered_map<std::string_view, const TensorProto*> initializers_;
  std::unordered_map<std::string_view, int64_t> uses_;
  std::unordered_set<std::string_view> dependent_;  // values that may depend on an input's elements
};

}  // namespace shingle::onnx
