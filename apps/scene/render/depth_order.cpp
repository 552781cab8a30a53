#include "apps/scene/render/depth_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace shingle {
namespace {

struct Span {
  double low = 1e300, high = -1e300;
};

Span along(const Outline& outline, cv::Point2d direction) {
  Span span;
  for (const cv::Point2d& point : outline) {
    const double at = point.dot(direction);
    span.low = std::min(span.low, at), span.high = std::max(span.high, at);
  }
  return span;
}

// By the lines along the edges of `edges`: a pair of convex outlines that do not meet is parted by
// one along an edge of either.
struct Parting {
  bool is_found = false;
  DrawnFirst first = DrawnFirst::neither;
};
Parting part(const Outline& edges, const Outline& left, const Outline& right, cv::Point2d nadir) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const cv::Point2d edge = edges[(i + 1) % edges.size()] - edges[i];
    const cv::Point2d normal{-edge.y, edge.x};
    const Span l = along(left, normal), r = along(right, normal);
    const double camera = nadir.dot(normal);
    if (l.high <= r.low) {
      if (camera < l.high) return {true, DrawnFirst::right};
      return {true, camera > r.low ? DrawnFirst::left : DrawnFirst::neither};
    }
    if (r.high <= l.low) {
      if (camera < r.high) return {true, DrawnFirst::left};
      return {true, camera > l.low ? DrawnFirst::right : DrawnFirst::neither};
    }
  }
  return {};
}

double farness(const StandingThing& thing, cv::Point2d nadir) {
  cv::Point2d middle{};
  for (const cv::Point2d& point : thing.footprint) middle += point;
  middle /= static_cast<double>(thing.footprint.size());
  return std::hypot(middle.x - nadir.x, middle.y - nadir.y);
}

bool meet(const Box& a, const Box& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

// Who is to be drawn after whom: by index, and how many come before each.
struct Precedence {
  std::vector<std::vector<size_t>> later;
  std::vector<size_t> before;
};

Precedence compare_all(std::span<const StandingThing> things, cv::Point2d nadir) {
  Precedence order{.later = std::vector<std::vector<size_t>>(things.size()),
                   .before = std::vector<size_t>(things.size(), 0)};
  std::vector<size_t> by_left(things.size());
  std::iota(by_left.begin(), by_left.end(), size_t{0});
  std::sort(by_left.begin(), by_left.end(), [&](size_t a, size_t b) {
    return things[a].seen.x != things[b].seen.x ? things[a].seen.x < things[b].seen.x : a < b;
  });
  for (size_t i = 0; i < by_left.size(); ++i) {
    const StandingThing& one = things[by_left[i]];
    for (size_t j = i + 1; j < by_left.size(); ++j) {
      const StandingThing& other = things[by_left[j]];
      if (other.seen.x >= one.seen.x + one.seen.w) break;
      if (!meet(one.seen, other.seen)) continue;
      const DrawnFirst first = drawn_first(one, other, nadir);
      if (first == DrawnFirst::neither) continue;
      const bool is_one = first == DrawnFirst::left;
      order.later[by_left[is_one ? i : j]].push_back(by_left[is_one ? j : i]);
      ++order.before[by_left[is_one ? j : i]];
    }
  }
  return order;
}

}  // namespace

DrawnFirst drawn_first(const StandingThing& left, const StandingThing& right, cv::Point2d nadir) {
  for (const Outline* edges : {&left.footprint, &right.footprint}) {
    const Parting parting = part(*edges, left.footprint, right.footprint, nadir);
    if (parting.is_found) return parting.first;
  }
  if (std::abs(left.foot - right.foot) > 0.5)
    return left.foot < right.foot ? DrawnFirst::left : DrawnFirst::right;
  return farness(left, nadir) > farness(right, nadir) ? DrawnFirst::left : DrawnFirst::right;
}

std::vector<size_t> depth_order(std::span<const StandingThing> things, cv::Point2d nadir) {
  Precedence precedence = compare_all(things, nadir);
  std::vector<double> far;
  for (const StandingThing& thing : things) far.push_back(farness(thing, nadir));
  auto is_nearer = [&](size_t a, size_t b) { return far[a] != far[b] ? far[a] < far[b] : a > b; };
  std::priority_queue<size_t, std::vector<size_t>, decltype(is_nearer)> ready(is_nearer);
  std::vector<size_t> farthest_first(things.size()), order;
  std::iota(farthest_first.begin(), farthest_first.end(), size_t{0});
  std::sort(farthest_first.begin(), farthest_first.end(),
            [&](size_t a, size_t b) { return is_nearer(b, a); });
  std::vector<bool> is_drawn(things.size(), false);
  for (size_t i = 0; i < things.size(); ++i)
    if (precedence.before[i] == 0) ready.push(i);
  size_t next_of_circle = 0;
  while (order.size() < things.size()) {
    size_t next = 0;
    if (!ready.empty()) {
      next = ready.top();
      ready.pop();
    } else {  // a circle: its farthest
      while (is_drawn[farthest_first[next_of_circle]]) ++next_of_circle;
      next = farthest_first[next_of_circle];
    }
    if (is_drawn[next]) continue;
    is_drawn[next] = true;
    order.push_back(next);
    for (const size_t later : precedence.later[next])
      if (--precedence.before[later] == 0) ready.push(later);
  }
  return order;
}

}  // namespace shingle
