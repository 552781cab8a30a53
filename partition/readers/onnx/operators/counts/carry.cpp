#include "partition/readers/onnx/operators/counts/carry.hpp"

#include "partition/readers/onnx/operators/counts/masks.hpp"
#include "partition/readers/onnx/operators/movement.hpp"

namespace shingle::onnx {

namespace {

struct Reshaping {
  const Dims& from;
  const Dims& to;
  const std::vector<Amount>& target;

  // Where dim `at` of the input begins in the output: the dim behind as many elements.
  bool begins(size_t at, size_t there) const {
    return product_between(from, 0, at) == product_between(to, 0, there);
  }
  bool asks_for(const Amount& count, size_t there) const {
    return there < target.size() && target[there] == count;
  }
};

// The output's dim that holds all places of the input's dim, and those of the dims behind it that
// it joins (`times` is how many); none: the dim is cut up, or joined with one before it.
struct Landing {
  size_t dim = 0;
  int64_t times = 1;
};
std::optional<Landing> landing(const Reshaping& reshaping, const Counted& counted) {
  const int64_t size = reshaping.from[counted.dim];
  std::optional<Landing> found;
  for (size_t dim = 0; dim < reshaping.to.size(); ++dim) {
    if (!reshaping.begins(counted.dim, dim)) continue;
    if (reshaping.asks_for(counted.count, dim)) return Landing{.dim = dim};
    if (reshaping.to[dim] == size && !found) found = Landing{.dim = dim};
    if (size > 1 && reshaping.to[dim] > size && reshaping.to[dim] % size == 0) {
      const int64_t times = reshaping.to[dim] / size;
      for (size_t last = counted.dim + 1; last <= reshaping.from.size(); ++last)
        if (product_between(reshaping.from, counted.dim + 1, last) == times)
          found = Landing{.dim = dim, .times = times};
    }
  }
  return found;
}

// The dim that is the first of several which a counted dim is cut into, and the size of the others.
std::optional<Landing> cut(const Reshaping& reshaping, const Counted& counted) {
  const int64_t size = reshaping.from[counted.dim];
  for (size_t dim = 0; dim < reshaping.to.size(); ++dim) {
    if (!reshaping.begins(counted.dim, dim) || reshaping.to[dim] == 1) continue;
    if (size % reshaping.to[dim] != 0) return std::nullopt;
    return Landing{.dim = dim, .times = size / reshaping.to[dim]};
  }
  return std::nullopt;
}

}  // namespace

Counts counts_at(Node& node, size_t input) {
  if (!node.has(input)) return {};
  const Box* box = std::get_if<Box>(&node.value(input));
  return box == nullptr ? Counts{} : box->counts;
}

const Amount* count_of(const Counts& counts, size_t dim) {
  for (const Counted& counted : counts)
    if (counted.dim == dim) return &counted.count;
  return nullptr;
}

void add_count(Node& node, Counts& counts, size_t dim, const Amount& count) {
  if (const Amount* there = count_of(counts, dim)) {
    if (*there == count) return;
    node.refuse("dimension " + std::to_string(dim) +
                " of its operands has two sizes that depend on the input, and shingle cannot tell "
                "that they are equal");
  }
  if (!count.known()) counts.push_back({.dim = dim, .count = count});
}

void check_broadcast(Node& node, int64_t size, int64_t out) {
  if (size != out)
    node.refuse("it repeats a dimension of at most one element, whose size depends on the input");
}

bool is_empty(Node& node, size_t input) {
  const Constant* known = std::get_if<Constant>(&node.value(input));
  return known != nullptr && known->count() == 0;
}

void set_empty(Node& node, const Dims& dims) {
  if (checked_elements(dims, node.store().limits) != 0) node.refuse("its input has no elements");
  const bool real = node.numbers(0) == Numbers::real;
  node.set(real ? node.store().floats(dims, {}) : node.store().integers(dims, {}));
}

void set_counts(Node& node, size_t output, const Counts& counts) {
  Value* made = node.made(output);
  if (made == nullptr) return;
  const Constant* known = std::get_if<Constant>(made);
  if (!counts.empty() && known != nullptr && known->count() > 0) {
    node.set(output, masked(node, *made, counts, 0.0F));
    made = node.made(output);
  }
  if (Box* box = std::get_if<Box>(made)) {
    for (const Counted& counted : counts)
      node.store().budget.charge(1 + std::ssize(counted.count.terms), sizeof(Amount::Term));
    box->counts = counts;
    box->amounts.clear();
  }
}

Counts reshaped_counts(Node& node, const Dims& from, const Counts& counts, const Dims& to,
                       const std::vector<Amount>& target) {
  const Reshaping reshaping{from, to, target};
  Counts result;
  for (const Counted& counted : counts) {
    if (const auto there = landing(reshaping, counted)) {
      add_count(node, result, there->dim, product(node, counted.count, known_amount(there->times)));
      continue;
    }
    const auto parts = cut(reshaping, counted);
    if (!parts || !divides(parts->times, counted.count))
      node.refuse("it makes " + text_of(from) + " into " + text_of(to) + ", where dimension " +
                  std::to_string(counted.dim) + " has a size that depends on the input");
    add_count(node, result, parts->dim, quotient(node, counted.count, parts->times));
  }
  return result;
}

}  // namespace shingle::onnx
