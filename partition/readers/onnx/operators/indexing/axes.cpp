// A map is read or changed at indices along one of its axes. An index counts for one element or for
// all along another axis, so each of the other axes holds only dims along which the indices vary,
// or only such along which they do not. Where updates are fewer than elements, they are the first
// ones of their axis.
#include "partition/readers/onnx/operators/indexing/indexing.hpp"

namespace shingle::onnx {

namespace {

using Axes = std::vector<Axis>;

bool counts(const Extents& extents, size_t dim) {
  return extents.map[dim] > 1 || dim == extents.dim;
}

bool fits_on(const Extents& extents, const Axes& axes, Axis axis) {
  bool first = true, varies = false, repeats = false;
  for (size_t dim = 0; dim < axes.size(); ++dim) {
    if (axes[dim] != axis || !counts(extents, dim)) continue;
    if (axis == axes[extents.dim]) {
      if (dim != extents.dim) return false;
      continue;
    }
    if (!first && extents.updates[dim] != extents.map[dim]) return false;
    first = false;
    if (extents.updates[dim] > 1)
      (extents.indices[dim] == extents.updates[dim] ? varies : repeats) = true;
  }
  return !(varies && repeats);
}

bool fits(const Extents& extents, const Axes& axes) {
  return fits_on(extents, axes, Axis::y) && fits_on(extents, axes, Axis::x) &&
         fits_on(extents, axes, Axis::c);
}

// An axis for each dim that counts, if there are enough.
std::optional<Axes> axes_for_each(const Extents& extents) {
  size_t wanted = 0;
  for (size_t dim = 0; dim < extents.map.size(); ++dim) wanted += counts(extents, dim) ? 1 : 0;
  if (wanted > 3) return std::nullopt;
  size_t next = wanted == 3 ? 0 : 1;  // a single dim is x, so that it can be cut
  Axes axes;
  for (size_t dim = 0; dim < extents.map.size(); ++dim)
    axes.push_back(counts(extents, dim) ? static_cast<Axis>(next++) : Axis::c);
  return axes;
}

// The dims before the lines, the lines, the dims behind them.
Axes axes_in_order(const Extents& extents) {
  Axes axes;
  for (size_t dim = 0; dim < extents.map.size(); ++dim)
    axes.push_back(dim < extents.dim ? Axis::y : dim == extents.dim ? Axis::x : Axis::c);
  return axes;
}

// The dims along which the indices vary, the lines, the other dims.
Axes axes_by_indices(const Extents& extents) {
  Axes axes;
  for (size_t dim = 0; dim < extents.map.size(); ++dim)
    axes.push_back(dim == extents.dim ? Axis::x : extents.indices[dim] > 1 ? Axis::y : Axis::c);
  return axes;
}

}  // namespace

std::vector<Axis> axes_of_lines(const Node& node, const Extents& extents, const View* lying) {
  std::optional<Axes> choices[] = {lying != nullptr ? lying_axes(*lying) : std::nullopt,
                                   axes_for_each(extents), axes_in_order(extents),
                                   axes_by_indices(extents)};
  for (std::optional<Axes>& choice : choices) {
    if (!choice) continue;
    for (const Axis axis : {Axis::x, Axis::y, Axis::c}) {
      // A dim of one element may lie anywhere.
      if (extents.map[extents.dim] == 1) (*choice)[extents.dim] = axis;
      if (fits(extents, *choice)) return *choice;
    }
  }
  node.refuse("its map of " + text_of(extents.map) + ", its indices of " +
              text_of(extents.indices) + " and its updates of " + text_of(extents.updates) +
              " differ in too many dimensions");
}

}  // namespace shingle::onnx
