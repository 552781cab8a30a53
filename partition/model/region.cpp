#include "partition/model/region.hpp"

namespace shingle {

Region whole(Shape shape) { return {{0, shape.h}, {0, shape.w}, {0, shape.c}}; }

Span intersect(Span a, Span b) {
  const Span both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.empty() ? Span{} : both;
}

Region intersect(const Region& a, const Region& b) {
  const Region both{intersect(a.y, b.y), intersect(a.x, b.x), intersect(a.c, b.c)};
  return both.empty() ? Region{} : both;
}

Span hull(Span a, Span b) {
  if (a.empty()) return b.empty() ? Span{} : b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Region hull(const Region& a, const Region& b) {
  if (a.empty()) return b.empty() ? Region{} : b;
  if (b.empty()) return a;
  return {hull(a.y, b.y), hull(a.x, b.x), hull(a.c, b.c)};
}

namespace {

bool contains(Span outer, Span inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

bool contains(const Region& outer, const Region& inner) {
  return inner.empty() ||
         (contains(outer.y, inner.y) && contains(outer.x, inner.x) && contains(outer.c, inner.c));
}

std::vector<Region> subtract(const Region& a, const Region& b) {
  if (a.empty()) return {};
  const Region cut = intersect(a, b);
  if (cut.empty()) return {a};
  // Boxes above and below the cut keep the whole width, so that they are contiguous in memory.
  const Region candidates[] = {
      {{a.y.begin, cut.y.begin}, a.x, a.c},      // above
      {cut.y, {a.x.begin, cut.x.begin}, a.c},    // left
      {cut.y, cut.x, {a.c.begin, cut.c.begin}},  // channels before
      {cut.y, cut.x, {cut.c.end, a.c.end}},      // channels after
      {cut.y, {cut.x.end, a.x.end}, a.c},        // right
      {{cut.y.end, a.y.end}, a.x, a.c},          // below
  };
  std::vector<Region> rest;
  for (const Region& candidate : candidates) {
    if (!candidate.empty()) rest.push_back(candidate);
  }
  return rest;
}

std::vector<Region> disjoint_union(const std::vector<Region>& boxes) {
  std::vector<Region> taken;
  for (const Region& box : boxes) {
    std::vector<Region> fresh;
    if (!box.empty()) fresh.push_back(box);
    for (const Region& earlier : taken) {
      std::vector<Region> outside;
      for (const Region& part : fresh) {
        const std::vector<Region> rest = subtract(part, earlier);
        outside.insert(outside.end(), rest.begin(), rest.end());
      }
      fresh = std::move(outside);
    }
    taken.insert(taken.end(), fresh.begin(), fresh.end());
  }
  return taken;
}

std::string to_string(Span span) {
  return std::to_string(span.begin) + ".." + std::to_string(span.end);
}

std::string to_string(const Region& region) {
  return "y " + to_string(region.y) + " x " + to_string(region.x) + " c " + to_string(region.c);
}

std::string to_string(Shape shape) {
  return std::to_string(shape.h) + "x" + std::to_string(shape.w) + "x" + std::to_string(shape.c);
}

}  // namespace shingle
