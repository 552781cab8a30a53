// Operators that only change how a value is read; they add no layer.
#include <algorithm>

#include "partition/readers/onnx/element_types.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

Dims dims_of(const Value& value) {
  const Box* box = std::get_if<Box>(&value);
  return box != nullptr ? sizes(box->view) : std::get<Constant>(value).dims;
}

ListedDims listed_dims(Node& node, size_t rank) {
  const auto size = static_cast<int64_t>(rank);
  const auto clamped = [&](int64_t index) {
    return static_cast<size_t>(std::clamp<int64_t>(index < 0 ? index + size : index, 0, size));
  };
  const size_t begin = clamped(node.integer("start", 0)), end = clamped(node.integer("end", size));
  return {.begin = begin, .end = std::max(begin, end)};
}

// If a cut between two new dims falls inside factors that an earlier transpose separated, the box
// must first be laid out in the order of the old dims: as a map, or otherwise as one row of
// channels.
Box reshaped_box(Node& node, const Box& box, const Dims& dims) {
  const size_t rank = box.view.dims.size();
  const std::vector<Axis> axes[] = {map_axes(sizes(box.view)), std::vector<Axis>(rank, Axis::c)};
  if (const std::optional<View> view = reshaped(box.view, dims))
    return {box.tensor, *view, box.sole};
  for (const std::vector<Axis>& layout : axes) {
    const Box laid = node.laid_out(box, arranged(box.view, layout));
    if (const std::optional<View> view = reshaped(laid.view, dims)) {
      return {laid.tensor, *view, laid.sole};
    }
  }
  node.refuse("it makes " + text_of(sizes(box.view)) + " into " + text_of(dims));
}

Value reshaped_value(Node& node, const Value& value, const Dims& dims) {
  if (const Constant* known = std::get_if<Constant>(&value)) {
    if (checked_elements(dims, node.store().limits) != known->count()) {
      node.refuse("it makes " + text_of(known->dims) + " into " + text_of(dims));
    }
    Constant changed = *known;
    changed.dims = dims;
    return changed;
  }
  return reshaped_box(node, std::get<Box>(value), dims);
}

Value permuted(Node& node, const Value& value, const Dims& permutation) {
  if (const Constant* known = std::get_if<Constant>(&value)) {
    return transposed_constant(node, *known, permutation);
  }
  Box box = std::get<Box>(value);
  box.view = transposed(box.view, permutation);
  return box;
}

namespace {

// The target of a Reshape; 0 copies a dimension and -1 takes the remaining elements.
Dims reshape_target(Node& node) {
  const Dims from = node.dims(0);
  Dims target = node.has_attribute("shape") ? node.integers("shape") : node.integer_list(1);
  const bool zero_copies = node.integer("allowzero", 0) == 0;
  std::optional<size_t> rest;
  Dims known;
  for (size_t dim = 0; dim < target.size(); ++dim) {
    if (target[dim] == 0 && zero_copies) {
      if (dim >= from.size()) node.refuse("it copies a dimension that its input does not have");
      target[dim] = from[dim];
    }
    if (target[dim] != -1) {
      known.push_back(target[dim]);
    } else if (rest) {
      node.refuse("it leaves two dimensions open");
    } else {
      rest = dim;
    }
  }
  const int64_t total = checked_elements(from, node.store().limits);
  const int64_t given = checked_elements(known, node.store().limits);
  if (rest) {
    if (given == 0 || total % given != 0) {
      node.refuse("it makes " + text_of(from) + " into " + text_of(known) + " times a rest");
    }
    target[*rest] = total / given;
  } else if (given != total) {
    node.refuse("it makes " + text_of(from) + " into " + text_of(target));
  }
  return target;
}

Dims axes_of(Node& node) {
  return node.opset() >= 13 && node.has(1) ? node.integer_list(1) : node.integers("axes");
}

struct Blocks {
  Dims dims;
  int64_t size;
};

Blocks blocks_of(Node& node) {
  const Blocks blocks{.dims = node.dims(0), .size = node.integer("blocksize", 0)};
  if (blocks.dims.size() != 4 || blocks.size < 1 || blocks.size > (1 << 20)) {
    node.refuse("its input is " + text_of(blocks.dims) + " and its blocksize " +
                std::to_string(blocks.size));
  }
  return blocks;
}

// Reshape, transpose, reshape.
void rearrange(Node& node, const Dims& split, const Dims& permutation, const Dims& joined) {
  const Value parts = reshaped_value(node, node.box(0), split);
  node.set(reshaped_value(node, permuted(node, parts, permutation), joined));
}

}  // namespace

namespace {

// The mask of a Dropout that drops nothing.
Constant ones(Node& node, const Dims& dims) {
  const int64_t count = checked_elements(dims, node.store().limits);
  node.store().budget.charge(count, 8);
  return node.store().integers(dims, std::vector<int64_t>(static_cast<size_t>(count), 1));
}

}  // namespace

void pass(Node& node) { node.set(node.value(0)); }

void dropout(Node& node) {
  const bool training = node.has(2) && node.scalar(2) != 0.0F;
  const float ratio = node.has(1) ? node.scalar(1) : 0.5F;
  if (training && ratio != 0.0F) {
    node.refuse("it drops elements at random, as in training; export the model for inference");
  }
  if (node.outputs() > 1) node.set(1, ones(node, node.dims(0)));
  pass(node);
}

void shape(Node& node) {
  const Dims dims = node.dims(0);
  const auto [begin, end] = listed_dims(node, dims.size());
  const auto first = dims.begin();
  const Dims part(first + static_cast<ptrdiff_t>(begin), first + static_cast<ptrdiff_t>(end));
  node.set(node.store().integers({static_cast<int64_t>(part.size())}, part));
}

void size(Node& node) {
  node.set(node.store().integers({}, {checked_elements(node.dims(0), node.store().limits)}));
}

void reshape(Node& node) { node.set(reshaped_value(node, node.value(0), reshape_target(node))); }

void flatten(Node& node) {
  const Dims dims = node.dims(0);
  const int64_t wanted = node.integer("axis", 1), rank = static_cast<int64_t>(dims.size());
  if (wanted < -rank || wanted > rank) node.refuse("its axis is out of range");
  const int64_t axis = wanted < 0 ? wanted + rank : wanted;
  Dims flat{1, 1};
  for (int64_t dim = 0; dim < rank; ++dim) {
    flat[dim < axis ? 0 : 1] *= dims[static_cast<size_t>(dim)];
  }
  node.set(reshaped_value(node, node.value(0), flat));
}

void squeeze(Node& node) {
  const Dims dims = node.dims(0), axes = axes_of(node);
  std::vector<bool> drop(dims.size(), false);
  for (size_t dim = 0; dim < dims.size(); ++dim) drop[dim] = axes.empty() && dims[dim] == 1;
  for (const int64_t axis : axes) drop[node.axis(axis, dims.size())] = true;
  Dims kept;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (!drop[dim]) kept.push_back(dims[dim]);
    if (drop[dim] && dims[dim] != 1) node.refuse("it squeezes a dimension that is not 1");
  }
  node.set(reshaped_value(node, node.value(0), kept));
}

void unsqueeze(Node& node) {
  const Dims dims = node.dims(0), axes = axes_of(node);
  const size_t rank = dims.size() + axes.size();
  if (rank > 64) node.refuse("its output has too many dimensions");
  std::vector<bool> inserted(rank, false);
  for (const int64_t axis : axes) {
    const size_t dim = node.axis(axis, rank);
    if (inserted[dim]) node.refuse("it inserts one dimension twice");
    inserted[dim] = true;
  }
  Dims result;
  auto next = dims.begin();
  for (size_t dim = 0; dim < rank; ++dim) result.push_back(inserted[dim] ? 1 : *next++);
  node.set(reshaped_value(node, node.value(0), result));
}

void transpose(Node& node) {
  const size_t rank = node.dims(0).size();
  Dims reversed;
  for (size_t dim = rank; dim-- > 0;) reversed.push_back(static_cast<int64_t>(dim));
  const Dims permutation = node.integers("perm", reversed);
  std::vector<bool> seen(rank, false);
  for (const int64_t dim : permutation) {
    if (dim < 0 || static_cast<size_t>(dim) >= rank || seen[static_cast<size_t>(dim)]) break;
    seen[static_cast<size_t>(dim)] = true;
  }
  const bool all_seen = std::count(seen.begin(), seen.end(), true) == static_cast<int64_t>(rank);
  if (permutation.size() != rank || !all_seen) node.refuse("its perm is no permutation");
  node.set(permuted(node, node.value(0), permutation));
}

void depth_to_space(Node& node) {
  const auto [dims, b] = blocks_of(node);
  const int64_t c = dims[1], h = dims[2], w = dims[3];
  if (c % (b * b) != 0) node.refuse("its channels do not divide by its blocksize");
  const Dims joined{dims[0], c / (b * b), h * b, w * b};
  if (node.text("mode", "DCR") == "CRD") {
    rearrange(node, {dims[0], c / (b * b), b, b, h, w}, {0, 1, 4, 2, 5, 3}, joined);
  } else {
    rearrange(node, {dims[0], b, b, c / (b * b), h, w}, {0, 3, 4, 1, 5, 2}, joined);
  }
}

void space_to_depth(Node& node) {
  const auto [dims, b] = blocks_of(node);
  const int64_t c = dims[1], h = dims[2], w = dims[3];
  if (h % b != 0 || w % b != 0) node.refuse("its map does not divide by its blocksize");
  rearrange(node, {dims[0], c, h / b, b, w / b, b}, {0, 3, 5, 1, 2, 4},
            {dims[0], c * b * b, h / b, w / b});
}

}  // namespace shingle::onnx
