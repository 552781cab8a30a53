// Amount: a whole number that follows from the frame and has known bounds, as a size may that
// depends on what the frame shows. It is a sum of tensors of one element, each times a whole
// number, and of a constant, so two ways of writing one size are seen to be equal:
//
//   kept            a tensor, 0 to 8400: how many boxes a suppression keeps
//   300 - kept      what a Pad adds
//   kept + that     300, which is known when the file is read
#pragma once

#include <map>
#include <string>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle::onnx {

class Node;

struct Amount {
  struct Term {
    TensorId tensor;  // 1x1x1
    int64_t times = 1;
    int64_t low = 0, high = 0;  // of the tensor
    friend bool operator==(const Term&, const Term&) = default;
  };
  int64_t constant = 0;
  std::vector<Term> terms{};  // by rising tensors

  bool known() const { return terms.empty(); }  // when the file is read
  int64_t low() const;
  int64_t high() const;
  friend bool operator==(const Amount&, const Amount&) = default;
};

// Along a dim of a value, only the places before `count` mean something. What stands behind them
// has no meaning, but is the same on every node.
struct Counted {
  size_t dim = 0;
  Amount count{};
  friend bool operator==(const Counted&, const Counted&) = default;
};
using Counts = std::vector<Counted>;  // one for a dim, at most

Amount known_amount(int64_t value);                            // within +-2^40
Amount amount_of(TensorId tensor, int64_t low, int64_t high);  // the tensor holds whole numbers

// Arithmetic. It adds layers only where no sum says the result. Each refuses results that a float
// does not hold exactly.
Amount sum(Node& node, const Amount& a, const Amount& b);
Amount difference(Node& node, const Amount& a, const Amount& b);
Amount product(Node& node, const Amount& a, const Amount& b);
Amount quotient(Node& node, const Amount& a, int64_t divisor);  // rounded down. REQUIRES: above 0
Amount smaller(Node& node, const Amount& a, const Amount& b);
Amount larger(Node& node, const Amount& a, const Amount& b);

// Is it a multiple of the divisor whatever its tensors hold?
bool divides(int64_t divisor, const Amount& amount);

// The amount as a tensor of 1x1x1. The same amount is the same tensor.
TensorId tensor_of(Node& node, const Amount& amount);

// What was made by the arithmetic and by tensor_of, and of what.
using AmountTensors = std::map<std::string, TensorId>;

}  // namespace shingle::onnx
