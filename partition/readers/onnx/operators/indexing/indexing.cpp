#include "partition/readers/onnx/operators/indexing/indexing.hpp"

#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

// Refuses dims that do not fit together, and constant indices off the map.
void check_indices(Node& node, const Extents& extents, const Value& indices) {
  const Dims &updates = extents.updates, &given = extents.indices;
  bool fits = given.size() == extents.map.size() && updates.size() == extents.map.size();
  for (size_t dim = 0; fits && dim < given.size(); ++dim) {
    if (dim == extents.dim)
      fits = given[dim] == updates[dim];
    else
      fits = updates[dim] <= extents.map[dim] && (given[dim] == 1 || given[dim] == updates[dim]);
  }
  if (!fits) {
    node.refuse("its indices of " + text_of(given) + " do not fit a map of " +
                text_of(extents.map) + " and updates of " + text_of(updates));
  }
  const int64_t size = extents.map[extents.dim];
  if (size > max_index)
    node.refuse("it has more than " + std::to_string(max_index) + " elements to choose from");
  const Constant* known = std::get_if<Constant>(&indices);
  if (known == nullptr) return;
  if (!known->integer) node.refuse("its indices are not integers");
  for (const int64_t index : known->integers) {
    if (index < -size || index >= size)
      node.refuse("its index " + std::to_string(index) + " is not one of " + std::to_string(size));
  }
}

const View* view_of(const Value& value) {
  const Box* box = std::get_if<Box>(&value);
  return box == nullptr ? nullptr : &box->view;
}

// Of the elements alone: several dims may count as one here, longer than a dim of the file.
void check_map(Node& node, const Dims& dims) {
  if (checked_elements(dims, node.store().limits) == 0)
    node.refuse("its map or its output of " + text_of(dims) + " has no elements");
}

}  // namespace

Value taken(Node& node, const Value& map, size_t dim, const Value& indices) {
  Dims out = dims_of(map);
  Extents extents{.dim = dim, .map = out, .updates = {}, .indices = dims_of(indices)};
  if (extents.indices.size() == out.size()) out[dim] = extents.indices[dim];
  extents.updates = out;
  check_indices(node, extents, indices);
  const Constant *known = std::get_if<Constant>(&map), *given = std::get_if<Constant>(&indices);
  if (known != nullptr && given != nullptr) return folded_take(node, *known, dim, *given);
  check_map(node, extents.map);
  check_map(node, out);
  const std::vector<Axis> axes = axes_of_lines(node, extents, view_of(map));
  return node.emit(Take{.axis = axes[dim]},
                   {along_axes(node, indices, axes), along_axes(node, map, axes)},
                   map_view(out, axes));
}

Value scattered(Node& node, const Value& map, const Changes& changes) {
  const Extents extents{.dim = changes.dim,
                        .map = dims_of(map),
                        .updates = dims_of(changes.updates),
                        .indices = dims_of(changes.indices)};
  check_indices(node, extents, changes.indices);
  const Constant *known = std::get_if<Constant>(&map),
                 *given = std::get_if<Constant>(&changes.indices),
                 *updates = std::get_if<Constant>(&changes.updates);
  if (known != nullptr && given != nullptr && updates != nullptr) {
    return folded_scatter(
        node, *known,
        {.dim = changes.dim, .indices = *given, .updates = *updates, .kind = changes.kind});
  }
  check_map(node, extents.map);
  check_map(node, extents.updates);
  const std::vector<Axis> axes = axes_of_lines(node, extents, view_of(map));
  return node.emit(Scatter{.axis = axes[changes.dim], .kind = changes.kind},
                   {along_axes(node, map, axes), along_axes(node, changes.indices, axes),
                    along_axes(node, changes.updates, axes)},
                   map_view(extents.map, axes));
}

}  // namespace shingle::onnx
