// Short lists of whole numbers of which some depend on the input: sizes, pads, ends of slices.
#pragma once

#include "partition/readers/onnx/operators/counts/follow.hpp"

namespace shingle::onnx {

// A constant of integers, or a box of amounts, in the file's order.
struct AmountList {
  Dims dims;
  std::vector<Amount> elements;
};

bool is_amounts(const Value& value);                    // a box of amounts
std::optional<AmountList> list_in(const Value& value);  // none: it is too long, or no list
AmountList list_at(Node& node, size_t input);           // refuses what is none
Amount amount_at(Node& node, size_t input);             // the same of one element
Value value_of(Node& node, const AmountList& list);     // a constant if all is known
Constant highest(Node& node, const AmountList& list);   // value of each element

// Makes the node's output if it is a list of amounts: of arithmetic on lists, or a movement of
// their elements. False: it is something else. REQUIRES: an input is a box of amounts.
bool made_list(Node& node, Translation translate);

// Shape and Size of a value with counts.
void shape_of(Node& node);

}  // namespace shingle::onnx
