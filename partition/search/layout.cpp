#include "partition/search/layout.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace shingle {
namespace {

// No convolution is called for fewer output pixels, because kernels compute at least so many.
constexpr int32_t fewest_pixels = 4;

// One axis in units of the granule; the last unit may be partial.
struct Units {
  int32_t size = 1, granule = 1;
  int32_t count() const { return (size + granule - 1) / granule; }
  int32_t at(int32_t unit) const {
    return static_cast<int32_t>(std::min<int64_t>(size, int64_t{unit} * granule));
  }
  // The border nearest to a proportion of the axis.
  int32_t nearest(double proportion) const {
    if (proportion >= 1.0) return count();
    const double unit = proportion * size / granule;
    return static_cast<int32_t>(std::clamp(std::floor(unit + 0.5), 0.0, double(count())));
  }
};

// Part `index` of `parts` about equal spans.
Span part(Span units, int32_t parts, int32_t index) {
  const auto border = [&](int64_t i) {
    return static_cast<int32_t>(units.begin + int64_t{units.size()} * i / parts);
  };
  return {border(index), border(int64_t{index} + 1)};
}

// A border between two nodes of a group: whole rows above it, and so many columns of the next row.
struct Stair {
  int32_t row = 0, column = 0;
};

// A node's part of one map: in units, relative to the map.
struct Part {
  Span across;  // of the group: units of x or c
  Stair from, to;
};

// One map, divided into groups and nodes.
class Dealer {
 public:
  Dealer(const Layout& layout, Shape shape, MapKind kind, Granule granule)
      : layout_(layout),
        shape_(shape),
        along_x_(kind == MapKind::row),
        long_(along_x_ ? Units{shape.w, granule.x} : Units{shape.h, granule.y}),
        wide_(along_x_ ? Units{shape.h, granule.y} : Units{shape.w, granule.x}),
        deep_{shape.c, granule.c} {}

  Stair border(double proportion, Span across) const {
    if (!layout_.stairs || layout_.across_channels) return {long_.nearest(proportion), 0};
    if (proportion >= 1.0) return {long_.count(), 0};
    const double unit = proportion * long_.size / long_.granule;
    Stair stair{static_cast<int32_t>(std::clamp(std::floor(unit), 0.0, double(long_.count()))), 0};
    if (stair.row >= long_.count()) return {long_.count(), 0};
    stair.column = column_of(unit - stair.row, across.size());
    if (stair.column <= 0) return {stair.row, 0};
    if (stair.column >= across.size()) return {stair.row + 1, 0};
    return stair;
  }

  // Both sides of the step are at least as wide as a convolution needs.
  int32_t column_of(double proportion, int32_t width) const {
    const int32_t least = (fewest_pixels + wide_.granule - 1) / wide_.granule;
    const auto column = static_cast<int32_t>(std::floor(proportion * width + 0.5));
    if (width < 2 * least) return proportion < 0.5 ? 0 : width;
    if (column < least) return column * 2 < least ? 0 : least;
    if (width - column < least) return (width - column) * 2 < least ? width : width - least;
    return column;
  }

  Span across(double from, double to) const {
    const Units& axis = layout_.across_channels ? deep_ : wide_;
    return {axis.nearest(from), axis.nearest(to)};
  }

  // `rows`: units of rows, within the group's width; across channels, over the whole width.
  Region region(Span rows, Span across) const {
    const Span y{long_.at(rows.begin), long_.at(rows.end)};
    Span x{0, wide_.size}, c{0, shape_.c};
    if (layout_.across_channels) {
      c = {deep_.at(across.begin), deep_.at(across.end)};
    } else {
      x = {wide_.at(across.begin), wide_.at(across.end)};
    }
    const Region found = along_x_ ? Region{x, y, c} : Region{y, x, c};
    return found.empty() ? Region{} : found;
  }

  // The part's end of its first row, its start of the last row, and between them rows * columns
  // tiles.
  std::vector<Region> tiles(const Part& part) const {
    const auto& [across, from, to] = part;
    std::vector<Region> found;
    const bool one_row = from.row == to.row;
    const auto beside = [&](int32_t begin, int32_t end) {
      return Span{across.begin + begin, across.begin + end};
    };
    const int32_t right = one_row ? to.column : across.size();
    found.push_back(from.column > 0 ? region({from.row, from.row + 1}, beside(from.column, right))
                                    : Region{});
    found.push_back(to.column > 0 && (!one_row || from.column == 0)
                        ? region({to.row, to.row + 1}, beside(0, to.column))
                        : Region{});
    const Span middle{from.row + (from.column > 0 ? 1 : 0), to.row};
    for (int32_t row = 0; row < layout_.rows; ++row) {
      for (int32_t column = 0; column < layout_.columns; ++column) {
        found.push_back(inner(middle, across, row, column));
      }
    }
    return found;
  }

 private:
  Region inner(Span rows, Span across, int32_t row, int32_t column) const {
    if (rows.empty() || across.empty()) return {};
    const Span at = shingle::part(rows, layout_.rows, row);
    if (!layout_.across_channels) {
      return region(at, shingle::part(across, layout_.columns, column));
    }
    Region found = region(at, across);  // across channels, columns are still cut along x
    Span& x = along_x_ ? found.y : found.x;
    const Span cut = shingle::part({0, wide_.count()}, layout_.columns, column);
    x = {wide_.at(cut.begin), wide_.at(cut.end)};
    return found.empty() ? Region{} : found;
  }

  const Layout& layout_;
  const Shape shape_;
  const bool along_x_;
  const Units long_, wide_, deep_;
};

// The nodes that take part, in groups of about equal size.
std::vector<std::vector<size_t>> groups_of(const Layout& layout) {
  std::vector<size_t> present;
  for (size_t node = 0; node < layout.shares.size(); ++node) {
    if (layout.shares[node] > 0.0) present.push_back(node);
  }
  assert(!present.empty());
  const size_t count = std::min(present.size(), static_cast<size_t>(std::max(1, layout.groups)));
  std::vector<std::vector<size_t>> groups(count);
  for (size_t i = 0; i < present.size(); ++i) {
    groups[i * count / present.size()].push_back(present[i]);
  }
  return groups;
}

std::vector<DealtTile> deal_whole(const Layout& layout, const std::vector<Shape>& maps,
                                  MapKind kind, const std::vector<Granule>& granules) {
  std::vector<Dealer> dealers;
  for (size_t i = 0; i < maps.size(); ++i) dealers.emplace_back(layout, maps[i], kind, granules[i]);
  const auto share = [&](double sum, size_t node) { return sum + layout.shares[node]; };
  const auto groups = groups_of(layout);
  double all = 0.0;
  for (const auto& group : groups) all = std::accumulate(group.begin(), group.end(), all, share);
  std::vector<DealtTile> dealt;
  double before = 0.0;  // of all groups before
  for (size_t g = 0; g < groups.size(); ++g) {
    const double own = std::accumulate(groups[g].begin(), groups[g].end(), 0.0, share);
    const double end = g + 1 == groups.size() ? 1.0 : (before + own) / all;
    double above = 0.0;  // of the group's nodes before
    for (size_t i = 0; i < groups[g].size(); ++i) {
      const size_t node = groups[g][i];
      const double below = i + 1 == groups[g].size() ? 1.0 : above + layout.shares[node] / own;
      std::vector<DealtTile> tiles;
      for (const Dealer& dealer : dealers) {
        const Span across = dealer.across(before / all, end);
        const std::vector<Region> regions =
            dealer.tiles({across, dealer.border(above, across), dealer.border(below, across)});
        tiles.resize(regions.size(), {node, {}});
        for (size_t k = 0; k < regions.size(); ++k) tiles[k].regions.push_back(regions[k]);
      }
      for (DealtTile& tile : tiles) {
        const bool holds = std::any_of(tile.regions.begin(), tile.regions.end(),
                                       [](const Region& region) { return !region.empty(); });
        if (holds) dealt.push_back(std::move(tile));
      }
      above = below;
    }
    before += own;
  }
  return dealt;
}

// The axis along which rows and columns are cut.
int32_t& long_side(Shape& shape, MapKind kind) { return kind == MapKind::row ? shape.w : shape.h; }

}  // namespace

std::vector<DealtTile> deal(const Layout& layout, const std::vector<Shape>& maps, MapKind kind,
                            const std::vector<Granule>& granules,
                            const std::vector<std::vector<int32_t>>& joints) {
  assert(!maps.empty());
  const size_t parts = joints.empty() ? 1 : joints[0].size() + 1;
  std::vector<DealtTile> dealt;
  for (size_t part = 0; part < parts; ++part) {
    std::vector<Shape> sizes = maps;
    std::vector<int32_t> begins(maps.size(), 0);
    for (size_t i = 0; i < maps.size() && parts > 1; ++i) {
      int32_t& side = long_side(sizes[i], kind);
      begins[i] = part == 0 ? 0 : joints[i][part - 1];
      side = (part + 1 == parts ? side : joints[i][part]) - begins[i];
    }
    for (DealtTile& tile : deal_whole(layout, sizes, kind, granules)) {
      for (size_t i = 0; i < maps.size(); ++i) {
        if (tile.regions[i].empty()) continue;
        Span& span = kind == MapKind::row ? tile.regions[i].x : tile.regions[i].y;
        span = {span.begin + begins[i], span.end + begins[i]};
      }
      dealt.push_back(std::move(tile));
    }
  }
  return dealt;
}

Layout on_one_node(size_t nodes, size_t node) {
  Layout layout;
  layout.shares.assign(nodes, 0.0);
  layout.shares[node] = 1.0;
  return layout;
}

}  // namespace shingle
