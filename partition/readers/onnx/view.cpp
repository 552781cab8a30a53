#include "partition/readers/onnx/view.hpp"

#include <algorithm>
#include <cassert>

namespace shingle::onnx {

namespace {

using Digits = std::vector<int32_t>;

int32_t& factor(View& view, int32_t index) { return view.factors[static_cast<size_t>(index)]; }
int32_t factor(const View& view, int32_t index) { return view.factors[static_cast<size_t>(index)]; }

int64_t product_of(const View& view, const Digits& digits) {
  int64_t total = 1;
  for (const int32_t index : digits) total *= factor(view, index);
  return total;
}

// Calls edit(list) for the axes of the box and for the dims.
template <class AnyView, class Edit>
void each_list(AnyView& view, Edit edit) {
  for (auto& axis : view.box) edit(axis);
  for (auto& dim : view.dims) edit(dim);
}

// By factor: the factor after it in its list; -1 at the end of a list.
template <class Lists>
Digits followers(const View& view, const Lists& lists) {
  Digits next(view.factors.size(), -1);
  for (const Digits& list : lists) {
    for (size_t i = 0; i + 1 < list.size(); ++i) next[static_cast<size_t>(list[i])] = list[i + 1];
  }
  return next;
}

void drop_ones(View& view) {
  each_list(view, [&](Digits& list) {
    std::erase_if(list, [&](int32_t index) { return factor(view, index) == 1; });
  });
}

// Joins each run of factors that is in one axis and in one dim into the run's first factor.
void join_runs(View& view) {
  const Digits in_box = followers(view, view.box), in_dim = followers(view, view.dims);
  std::vector<bool> joined(view.factors.size(), false);
  for (const Digits& axis : view.box) {
    int32_t first = -1;  // of the run
    for (const int32_t index : axis) {
      if (joined[static_cast<size_t>(index)]) {
        factor(view, first) *= factor(view, index);
      } else {
        first = index;
      }
      const int32_t next = in_box[static_cast<size_t>(index)];
      if (next >= 0 && next == in_dim[static_cast<size_t>(index)]) {
        joined[static_cast<size_t>(next)] = true;
      }
    }
  }
  each_list(view, [&](Digits& list) {
    std::erase_if(list, [&](int32_t index) { return joined[static_cast<size_t>(index)]; });
  });
}

void number_in_box_order(View& view) {
  Digits new_index(view.factors.size(), -1);
  std::vector<int32_t> ordered;
  for (const Digits& axis : view.box) {
    for (const int32_t index : axis) {
      new_index[static_cast<size_t>(index)] = static_cast<int32_t>(ordered.size());
      ordered.push_back(factor(view, index));
    }
  }
  each_list(view, [&](Digits& list) {
    for (int32_t& index : list) index = new_index[static_cast<size_t>(index)];
  });
  view.factors = std::move(ordered);
}

// Splits a factor into a more significant part of size `high` and a rest, whose index is returned.
int32_t split(View& view, int32_t index, int32_t high) {
  const auto low_index = static_cast<int32_t>(view.factors.size());
  view.factors.push_back(factor(view, index) / high);
  factor(view, index) = high;
  each_list(view, [&](Digits& list) {
    const auto place = std::find(list.begin(), list.end(), index);
    if (place != list.end()) list.insert(place + 1, low_index);
  });
  return low_index;
}

// By factor: true if it is in a marked dim.
std::vector<bool> marked_factors(const View& view, const std::vector<bool>& marked) {
  std::vector<bool> result(view.factors.size(), false);
  for (size_t dim = 0; dim < view.dims.size(); ++dim) {
    for (const int32_t index : view.dims[dim]) result[static_cast<size_t>(index)] = marked[dim];
  }
  return result;
}

}  // namespace

Dims sizes(const View& view) {
  Dims result;
  for (const Digits& dim : view.dims) result.push_back(product_of(view, dim));
  return result;
}

int64_t size_of(const View& view, size_t dim) { return product_of(view, view.dims[dim]); }

Shape box_shape(const View& view) {
  const auto size = [&](size_t axis) {
    return static_cast<int32_t>(product_of(view, view.box[axis]));
  };
  return {size(0), size(1), size(2)};
}

View normalised(const View& view) {
  View result = view;
  drop_ones(result);
  join_runs(result);
  number_in_box_order(result);
  return result;
}

std::vector<Axis> map_axes(const Dims& dims) {
  const size_t rank = dims.size();
  std::vector<Axis> axes(rank, Axis::c);
  const bool led_by_one = rank > 0 && dims[0] == 1;
  if (rank >= 4 || (rank == 3 && !led_by_one)) {
    axes[rank - 2] = Axis::y;
    axes[rank - 1] = Axis::x;
  } else if (rank == 3 || (rank == 2 && !led_by_one)) {
    axes[rank - 1] = Axis::x;
  }
  return axes;
}

View map_view(const Dims& dims) { return map_view(dims, map_axes(dims)); }

View map_view(const Dims& dims, const std::vector<Axis>& axes) {
  View view;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const auto index = static_cast<int32_t>(dim);
    view.factors.push_back(static_cast<int32_t>(dims[dim]));
    view.dims.push_back({index});
    view.box[static_cast<size_t>(axes[dim])].push_back(index);
  }
  return normalised(view);
}

View transposed(const View& view, std::span<const int64_t> permutation) {
  View result = view;
  result.dims.clear();
  for (const int64_t dim : permutation) {
    result.dims.push_back(view.dims[static_cast<size_t>(dim)]);
  }
  return normalised(result);
}

std::optional<View> reshaped(const View& view, const Dims& dims) {
  // First all dims become one long dim, which joins factors across the old cuts.
  View result = view;
  result.dims.assign(1, {});
  for (const Digits& dim : view.dims) {
    result.dims[0].insert(result.dims[0].end(), dim.begin(), dim.end());
  }
  result = normalised(result);

  size_t taken = 0;  // digits of the long dim; it stays in place so that split() finds it
  std::vector<Digits> cut;
  for (const int64_t size : dims) {
    Digits& dim = cut.emplace_back();
    for (int64_t left = size; left > 1;) {
      if (taken == result.dims[0].size()) return std::nullopt;
      const int32_t index = result.dims[0][taken];
      const int32_t whole_size = factor(result, index);
      if (left % whole_size != 0) {
        if (whole_size % left != 0) return std::nullopt;
        split(result, index, static_cast<int32_t>(left));
      }
      left /= factor(result, index);
      dim.push_back(index);
      ++taken;
    }
  }
  if (taken != result.dims[0].size()) return std::nullopt;
  result.dims = std::move(cut);
  return normalised(result);
}

BoxAxes arranged(const View& view, const std::vector<Axis>& axes) {
  BoxAxes box;
  for (size_t dim = 0; dim < view.dims.size(); ++dim) {
    Digits& axis = box[static_cast<size_t>(axes[dim])];
    axis.insert(axis.end(), view.dims[dim].begin(), view.dims[dim].end());
  }
  return box;
}

std::optional<std::vector<Axis>> lying_axes(const View& view) {
  std::vector<Axis> axes(view.dims.size(), Axis::c);
  for (size_t dim = 0; dim < axes.size(); ++dim) {
    if (view.dims[dim].empty()) continue;
    for (const Axis axis : {Axis::y, Axis::x}) {
      const Digits& lying = view.box[static_cast<size_t>(axis)];
      const bool lies = std::find(lying.begin(), lying.end(), view.dims[dim][0]) != lying.end();
      if (lies) axes[dim] = axis;
    }
  }
  if (arranged(view, axes) != view.box) return std::nullopt;
  return axes;
}

bool has_channels_last(const View& view) {
  return !view.dims.empty() && !view.dims.back().empty() &&
         view.dims.back() == view.box[static_cast<size_t>(Axis::c)];
}

std::vector<Axis> channels_last_axes(size_t rank) {
  std::vector<Axis> axes(rank, Axis::y);
  if (rank > 1) axes[rank - 2] = Axis::x;
  if (rank > 0) axes[rank - 1] = Axis::c;
  return axes;
}

BoxAxes isolated(const View& view, const std::vector<bool>& marked) {
  BoxAxes box;
  Digits& channels = box[static_cast<size_t>(Axis::c)];
  for (size_t dim = 0; dim < view.dims.size(); ++dim) {
    if (!marked[dim]) continue;
    channels.insert(channels.end(), view.dims[dim].begin(), view.dims[dim].end());
  }
  const auto keep = [&](const Digits& from, Digits& to) {
    for (const int32_t index : from) {
      const bool is_channel = std::find(channels.begin(), channels.end(), index) != channels.end();
      if (!is_channel) to.push_back(index);
    }
  };
  keep(view.box[0], box[0]);
  keep(view.box[1], box[1]);
  keep(view.box[2], box[1]);
  return box;
}

std::optional<std::array<bool, 3>> whole_axes(const View& view, const std::vector<bool>& marked) {
  const std::vector<bool> is_marked = marked_factors(view, marked);
  std::array<bool, 3> whole{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const Digits& digits = view.box[axis];
    const auto count = std::count_if(digits.begin(), digits.end(), [&](int32_t index) {
      return is_marked[static_cast<size_t>(index)];
    });
    if (count != 0 && static_cast<size_t>(count) != digits.size()) return std::nullopt;
    whole[axis] = count != 0;
  }
  return whole;
}

std::optional<Axis> axis_of(const View& view, const std::vector<bool>& marked) {
  const std::optional<std::array<bool, 3>> whole = whole_axes(view, marked);
  if (!whole || std::count(whole->begin(), whole->end(), true) != 1) return std::nullopt;
  return static_cast<Axis>(std::find(whole->begin(), whole->end(), true) - whole->begin());
}

View collapsed(const View& view, const std::vector<bool>& marked) {
  View result = view;
  const std::vector<bool> is_marked = marked_factors(view, marked);
  for (size_t index = 0; index < is_marked.size(); ++index) {
    if (is_marked[index]) result.factors[index] = 1;
  }
  return normalised(result);
}

View padded(const View& view, size_t rank) {
  View result = view;
  result.dims.insert(result.dims.begin(), rank - view.dims.size(), Digits{});
  return result;
}

View laid_out(const View& view, const BoxAxes& box) {
  return normalised({.factors = view.factors, .box = box, .dims = view.dims});
}

std::optional<Digit> digit_of(const View& view, size_t dim) {
  if (view.dims[dim].size() > 1) return std::nullopt;
  Digit digit{.view = view};
  if (view.dims[dim].empty()) {
    digit.factor = static_cast<int32_t>(view.factors.size());
    digit.view.factors.push_back(1);
    digit.view.dims[dim].push_back(digit.factor);
    Digits& channels = digit.view.box[static_cast<size_t>(Axis::c)];
    channels.insert(channels.begin(), digit.factor);
  } else {
    digit.factor = view.dims[dim][0];
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    const Digits& digits = digit.view.box[axis];
    const auto place = std::find(digits.begin(), digits.end(), digit.factor);
    if (place == digits.end()) continue;
    digit.axis = static_cast<Axis>(axis);
    digit.outer = product_of(digit.view, {digits.begin(), place});
    digit.inner = product_of(digit.view, {place + 1, digits.end()});
  }
  return digit;
}

View resized(const Digit& digit, int64_t size) {
  View view = digit.view;
  factor(view, digit.factor) = static_cast<int32_t>(size);
  return normalised(view);
}

}  // namespace shingle::onnx
