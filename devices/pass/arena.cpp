#include "devices/pass/arena.hpp"

#include <algorithm>
#include <numeric>

namespace shingle {

namespace {

struct Placed {
  int64_t begin = 0, end = 0;
};

int64_t rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

bool live_together(const ArenaRequest& a, const ArenaRequest& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

// The lowest gap of `bytes` between `taken`, which is sorted by begin.
int64_t lowest_gap(const std::vector<Placed>& taken, int64_t bytes) {
  int64_t offset = 0;
  for (const Placed& other : taken) {
    if (offset + bytes <= other.begin) break;
    offset = std::max(offset, other.end);
  }
  return offset;
}

ArenaLayout placed_in(const std::vector<size_t>& order, std::span<const ArenaRequest> requests) {
  ArenaLayout layout{.offsets = std::vector<int64_t>(requests.size(), 0), .bytes = 0};
  std::vector<Placed> taken;
  for (size_t placed = 0; placed < order.size(); ++placed) {
    const ArenaRequest& request = requests[order[placed]];
    taken.clear();
    for (size_t before = 0; before < placed; ++before) {
      const ArenaRequest& other = requests[order[before]];
      const int64_t begin = layout.offsets[order[before]];
      if (live_together(request, other)) taken.push_back({begin, begin + rounded(other.bytes)});
    }
    std::sort(taken.begin(), taken.end(),
              [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    const int64_t offset = lowest_gap(taken, rounded(request.bytes));
    layout.offsets[order[placed]] = offset;
    layout.bytes = std::max(layout.bytes, offset + rounded(request.bytes));
  }
  return layout;
}

// The place in `order` of a buffer that ends where the arena does.
size_t furthest_out(const ArenaLayout& layout, const std::vector<size_t>& order,
                    std::span<const ArenaRequest> requests) {
  size_t found = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (layout.offsets[order[i]] + rounded(requests[order[i]].bytes) == layout.bytes) found = i;
  }
  return found;
}

// `better(a, b)`: a is placed before b, in the first try. In each further try the buffer that
// sticks out furthest is the first.
template <class Better>
ArenaLayout best_from(std::span<const ArenaRequest> requests, int64_t least, Better better) {
  constexpr int most_rounds = 24;
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return better(requests[a], requests[b]); });
  ArenaLayout layout = placed_in(order, requests), best = layout;
  for (int round = 0; round < most_rounds && best.bytes > least; ++round) {
    const auto out =
        order.begin() + static_cast<std::ptrdiff_t>(furthest_out(layout, order, requests));
    std::rotate(order.begin(), out, out + 1);
    layout = placed_in(order, requests);
    if (layout.bytes < best.bytes) best = layout;
  }
  return best;
}

}  // namespace

int64_t live_bytes(std::span<const ArenaRequest> requests) {
  // The most is reached where some buffer begins to live.
  int64_t most = 0;
  for (const ArenaRequest& at : requests) {
    int64_t live = 0;
    for (const ArenaRequest& other : requests) {
      const bool lives = other.first_step <= at.first_step && at.first_step <= other.last_step;
      if (lives) live += rounded(other.bytes);
    }
    most = std::max(most, live);
  }
  return most;
}

ArenaLayout lay_out(std::span<const ArenaRequest> requests) {
  const int64_t least = live_bytes(requests);
  const auto larger = [](const ArenaRequest& a, const ArenaRequest& b) {
    return a.bytes > b.bytes;
  };
  const auto ends_sooner = [](const ArenaRequest& a, const ArenaRequest& b) {
    return a.last_step < b.last_step;
  };
  ArenaLayout by_size = best_from(requests, least, larger);
  if (by_size.bytes <= least) return by_size;
  ArenaLayout by_end = best_from(requests, least, ends_sooner);
  return by_end.bytes < by_size.bytes ? by_end : by_size;
}

}  // namespace shingle
