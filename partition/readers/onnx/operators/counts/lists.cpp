// A movement of elements is translated as of a list of labels, 0, 1, ...; then each label in the
// result is replaced by the amount that it stands for. Arithmetic and comparisons go element by
// element.
#include "partition/readers/onnx/operators/counts/lists.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t longest_list = 256;

// Operators that move elements, and which of their inputs hold these.
struct Movement {
  std::string_view op;
  size_t first = 0, last = 0;
};
constexpr size_t all = SIZE_MAX;
constexpr Movement movements[] = {{"Concat", 0, all}, {"Expand"},  {"Flatten"},   {"Gather"},
                                  {"Identity"},       {"Reshape"}, {"Slice"},     {"Split"},
                                  {"Squeeze"},        {"Tile"},    {"Transpose"}, {"Unsqueeze"},
                                  {"Where", 1, 2}};

std::vector<Amount> known_list(const std::vector<int64_t>& integers) {
  std::vector<Amount> result;
  for (const int64_t value : integers) result.push_back(known_amount(value));
  return result;
}

// The elements of all inputs that a movement moves; none if one of them is no list.
std::optional<std::vector<Amount>> labelled(Node& node, size_t first, size_t last) {
  std::vector<Amount> labels;
  for (size_t input = first; input <= last; ++input) {
    const auto list = list_in(node.value(input));
    if (!list) return std::nullopt;
    labels.insert(labels.end(), list->elements.begin(), list->elements.end());
  }
  return labels;
}

// Puts labels in place of the elements of the inputs.
void label(Node& node, size_t first, size_t last) {
  int64_t next = 0;
  for (size_t input = first; input <= last; ++input) {
    Constant labels = node.store().integers(node.dims(input), {});
    const int64_t count = checked_elements(labels.dims, node.store().limits);
    node.store().budget.charge(count, 8);
    for (int64_t i = 0; i < count; ++i) labels.integers.push_back(next++);
    node.replace(input, std::move(labels));
  }
}

bool moved(Node& node, const Movement& movement, Translation translate) {
  const size_t last = std::min(movement.last, node.inputs() - 1);
  const auto elements = labelled(node, movement.first, last);
  if (!elements) return false;
  for (size_t input = 0; input < node.inputs(); ++input) {  // what says how to move is known
    const bool is_element = input >= movement.first && input <= last;
    if (!is_element && node.has(input) && !node.is_constant(input)) return false;
  }
  label(node, movement.first, last);
  translate(node);
  for (size_t output = 0; output < node.outputs(); ++output) {
    const Value* made = node.made(output);
    if (made == nullptr) continue;
    const Constant labels = std::get<Constant>(*made);
    AmountList list{.dims = labels.dims, .elements = {}};
    for (const int64_t label : labels.integers)
      list.elements.push_back((*elements)[static_cast<size_t>(label)]);
    node.set(output, value_of(node, list));
  }
  return true;
}

// One element of the result; none: the operator is no arithmetic of whole numbers that goes on.
std::optional<Amount> combined(Node& node, std::string_view op, const Amount& a, const Amount& b) {
  if (op == "Add" || op == "Sum") return sum(node, a, b);
  if (op == "Sub") return difference(node, a, b);
  if (op == "Mul") return product(node, a, b);
  if (op == "Max") return larger(node, a, b);
  if (op == "Min") return smaller(node, a, b);
  const bool positive = b.known() && b.constant > 0 && a.low() >= 0;  // rounds down towards 0, too
  if (op == "Div" && positive) return quotient(node, a, b.constant);
  return std::nullopt;
}

// 1 or 0 where the bounds decide it; none where they do not.
std::optional<Amount> compared(std::string_view op, const Amount& a, const Amount& b) {
  const auto decided = [](bool yes, bool no) -> std::optional<Amount> {
    return yes == no ? std::nullopt : std::optional(known_amount(yes ? 1 : 0));
  };
  if (op == "Less") return decided(a.high() < b.low(), a.low() >= b.high());
  if (op == "LessOrEqual") return decided(a.high() <= b.low(), a.low() > b.high());
  if (op == "Greater") return compared("Less", b, a);
  if (op == "GreaterOrEqual") return compared("LessOrEqual", b, a);
  if (op == "Equal") return decided(a == b, a.high() < b.low() || a.low() > b.high());
  return std::nullopt;
}

// What two lists give together; none if one element does not go on.
std::optional<AmountList> paired(Node& node, const AmountList& a, const AmountList& b) {
  AmountList result{.dims = broadcast(node, a.dims, b.dims), .elements = {}};
  const auto strides_a = broadcast_strides(a.dims, result.dims);
  const auto strides_b = broadcast_strides(b.dims, result.dims);
  const int64_t count = checked_elements(result.dims, node.store().limits);
  if (count > static_cast<int64_t>(longest_list)) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at_a = 0, at_b = 0;
    for (size_t dim = result.dims.size(); dim-- > 0; rest /= result.dims[dim]) {
      at_a += rest % result.dims[dim] * strides_a[dim];
      at_b += rest % result.dims[dim] * strides_b[dim];
    }
    const Amount &left = a.elements[static_cast<size_t>(at_a)],
                 &right = b.elements[static_cast<size_t>(at_b)];
    std::optional<Amount> element = combined(node, node.op(), left, right);
    if (!element) element = compared(node.op(), left, right);
    if (!element) return std::nullopt;
    result.elements.push_back(*element);
  }
  return result;
}

constexpr std::string_view arithmetic[] = {"Add",
                                           "Sum",
                                           "Sub",
                                           "Mul",
                                           "Max",
                                           "Min",
                                           "Div",
                                           "Less",
                                           "LessOrEqual",
                                           "Greater",
                                           "GreaterOrEqual",
                                           "Equal"};

bool combined_lists(Node& node) {
  std::optional<AmountList> result = list_in(node.value(0));
  for (size_t input = 1; result && input < node.inputs(); ++input) {
    const auto next = list_in(node.value(input));
    if (!next) return false;
    result = paired(node, *result, *next);
  }
  if (!result) return false;
  node.set(value_of(node, *result));
  return true;
}

// A reduction of a whole list of one dim.
bool reduced_list(Node& node) {
  const auto list = list_in(node.value(0));
  if (!list || list->dims.size() != 1 || list->elements.empty()) return false;
  if (node.integer("noop_with_empty_axes", 0) != 0) return false;
  std::optional<Amount> total = list->elements[0];
  const std::string_view op = node.op() == "ReduceMin"   ? "Min"
                              : node.op() == "ReduceMax" ? "Max"
                              : node.op() == "ReduceSum" ? "Add"
                                                         : "Mul";
  for (size_t i = 1; total && i < list->elements.size(); ++i)
    total = combined(node, op, *total, list->elements[i]);
  const bool keeps = node.integer("keepdims", 1) != 0;
  node.set(value_of(node, {.dims = keeps ? Dims{1} : Dims{}, .elements = {*total}}));
  return true;
}

constexpr std::string_view reductions[] = {"ReduceMin", "ReduceMax", "ReduceSum", "ReduceProd"};

// Is it the question whether a sum of counts is 0? Not one of what is left of a number, as 300 - n.
bool asks_for_none(Node& node) {
  if (node.op() != "Equal" || node.inputs() != 2) return false;
  const auto a = list_in(node.value(0)), b = list_in(node.value(1));
  if (!a || !b || a->elements.size() != 1 || b->elements.size() != 1) return false;
  const bool first_known = a->elements[0].known();
  const Amount &zero = (first_known ? a : b)->elements[0],
               &count = (first_known ? b : a)->elements[0];
  return zero == Amount{} && count.constant == 0 && count.low() == 0;
}

bool stays_whole(Node& node) {
  const auto numbers = numbers_of(node.integer("to", 0));
  return node.op() == "Cast" && numbers == Numbers::whole;
}

}  // namespace

bool is_amounts(const Value& value) {
  const Box* box = std::get_if<Box>(&value);
  return box != nullptr && !box->amounts.empty();
}

std::optional<AmountList> list_in(const Value& value) {
  if (const Box* box = std::get_if<Box>(&value)) {
    if (box->amounts.empty()) return std::nullopt;
    return AmountList{.dims = sizes(box->view), .elements = box->amounts};
  }
  const Constant& known = std::get<Constant>(value);
  if (!known.integer || known.integers.size() > longest_list) return std::nullopt;
  return AmountList{.dims = known.dims, .elements = known_list(known.integers)};
}

AmountList list_at(Node& node, size_t input) {
  if (auto list = list_in(node.value(input)); list && list->dims.size() <= 1) return *list;
  node.refuse("its input " + std::to_string(input) +
              " depends on the model's input, and no largest value of it is known");
}

Amount amount_at(Node& node, size_t input) {
  const AmountList list = list_at(node, input);
  if (list.elements.size() != 1)
    node.refuse("its input " + std::to_string(input) + " is not one number");
  return list.elements[0];
}

Value value_of(Node& node, const AmountList& list) {
  const auto is_known = [](const Amount& amount) { return amount.known(); };
  if (list.elements.size() > longest_list) node.refuse("it makes a long list of sizes");
  if (std::ranges::all_of(list.elements, is_known)) return highest(node, list);
  std::vector<TensorId> parts;
  for (const Amount& amount : list.elements) {
    node.store().budget.charge(1 + std::ssize(amount.terms), sizeof(Amount::Term));
    parts.push_back(tensor_of(node, amount));
  }
  const auto count = static_cast<int64_t>(parts.size());
  Box box{.tensor = parts[0], .view = map_view({1, count})};
  if (count > 1) box = node.emit(Concat{Axis::c}, std::move(parts), map_view({1, count}));
  box = reshaped_box(node, box, list.dims);
  box.sole = false;  // an amount's tensor may be read by others
  box.numbers = Numbers::whole;
  box.amounts = list.elements;
  return box;
}

Constant highest(Node& node, const AmountList& list) {
  std::vector<int64_t> values;
  for (const Amount& amount : list.elements) values.push_back(amount.high());
  return node.store().integers(list.dims, std::move(values));
}

bool made_list(Node& node, Translation translate) {
  for (const Movement& movement : movements)
    if (movement.op == node.op()) return moved(node, movement, translate);
  if (std::ranges::find(arithmetic, node.op()) != std::end(arithmetic)) {
    if (combined_lists(node)) return true;
    if (!asks_for_none(node)) return false;
    translate(node);
    std::get<Box>(*node.made(0)).says_none = true;
    return true;
  }
  if (std::ranges::find(reductions, node.op()) != std::end(reductions)) return reduced_list(node);
  if (!stays_whole(node)) return false;
  node.set(node.value(0));
  return true;
}

void shape_of(Node& node) {
  const Box box = node.box(0);
  AmountList list{.dims = {}, .elements = known_list(sizes(box.view))};
  for (const Counted& counted : box.counts) list.elements[counted.dim] = counted.count;
  if (node.op() == "Size") {
    Amount total = known_amount(1);
    for (const Amount& amount : list.elements) total = product(node, total, amount);
    return node.set(value_of(node, {.dims = {}, .elements = {total}}));
  }
  const auto [begin, end] = listed_dims(node, list.elements.size());
  const auto first = list.elements.begin();
  std::vector<Amount> part(first + static_cast<ptrdiff_t>(begin),
                           first + static_cast<ptrdiff_t>(end));
  node.set(value_of(node, {.dims = {std::ssize(part)}, .elements = std::move(part)}));
}

}  // namespace shingle::onnx
