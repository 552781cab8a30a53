#include "apps/heads/outlines.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>

namespace shingle {
namespace {

// Equal pixels side by side.
struct PixelRun {
  int32_t y = 0, begin = 0, end = 0;
  bool is_set = false;
  size_t earlier = 0;  // a run of the same area; itself: the first one
};

bool touch(const PixelRun& above, const PixelRun& below) {
  const int32_t corner = above.is_set ? 1 : 0;
  return above.is_set == below.is_set && above.begin < below.end + corner &&
         below.begin < above.end + corner;
}

// Row by row; the first one is the outside.
class PixelRuns {
 public:
  PixelRuns(std::span<const uint8_t> map, PixelSize size) : size_(size) {
    runs_.push_back({});
    rows_.push_back(1);
    for (int32_t y = 0; y < size.height; ++y) {
      const auto width = static_cast<size_t>(size.width);
      append_row(y, map.subspan(static_cast<size_t>(y) * width, width));
      rows_.push_back(runs_.size());
      join_with_row_above(y);
    }
  }

  // By the number of the first run of each area, the outside left out: f(first run, run).
  template <class F>
  void for_each(F f) {
    for (size_t i = 1; i < runs_.size(); ++i)
      if (const size_t first = first_of(i); first != outside) f(first, runs_[i]);
  }

  std::span<const PixelRun> row(int32_t y) const {
    const size_t begin = rows_[static_cast<size_t>(y)], end = rows_[static_cast<size_t>(y) + 1];
    return std::span(runs_).subspan(begin, end - begin);
  }

 private:
  static constexpr size_t outside = 0;

  void append_row(int32_t y, std::span<const uint8_t> pixels) {
    for (auto at = pixels.begin(); at != pixels.end();) {
      const bool is_set = *at != 0;
      const auto end =
          std::find_if(at, pixels.end(), [&](uint8_t p) { return (p != 0) != is_set; });
      runs_.push_back({y, static_cast<int32_t>(at - pixels.begin()),
                       static_cast<int32_t>(end - pixels.begin()), is_set, runs_.size()});
      const PixelRun& run = runs_.back();
      const bool at_border =
          y == 0 || y + 1 == size_.height || run.begin == 0 || run.end == size_.width;
      if (!is_set && at_border) join(runs_.size() - 1, outside);
      at = end;
    }
  }

  void join_with_row_above(int32_t y) {
    if (y == 0) return;
    size_t above = rows_[static_cast<size_t>(y) - 1], below = rows_[static_cast<size_t>(y)];
    const size_t above_end = below, below_end = runs_.size();
    // Runs of one row have no gaps, so of the next pair one run stays.
    for (size_t from = above; below < below_end; ++below) {
      while (from < above_end && runs_[from].end < runs_[below].begin) ++from;
      for (above = from; above < above_end && runs_[above].begin <= runs_[below].end; ++above)
        if (touch(runs_[above], runs_[below])) join(above, below);
    }
  }

  size_t first_of(size_t run) {
    while (runs_[run].earlier != run) {
      runs_[run].earlier = runs_[runs_[run].earlier].earlier;
      run = runs_[run].earlier;
    }
    return run;
  }

  void join(size_t a, size_t b) {
    const size_t of_a = first_of(a), of_b = first_of(b);
    runs_[std::max(of_a, of_b)].earlier = std::min(of_a, of_b);
  }

  PixelSize size_;
  std::vector<PixelRun> runs_;
  std::vector<size_t> rows_;  // where each row begins; the end
};

void add_ends(Outline& outline, int32_t y, int32_t begin, int32_t end) {
  outline.push_back({begin, y});
  outline.push_back({end - 1, y});
}

// The set pixels above or below a run of a hole: the ends of each stretch.
void add_beside(Outline& outline, const PixelRun& hole, std::span<const PixelRun> row) {
  for (const PixelRun& run : row) {
    const int32_t begin = std::max(run.begin, hole.begin), end = std::min(run.end, hole.end);
    if (run.is_set && begin < end) add_ends(outline, run.y, begin, end);
  }
}

}  // namespace

std::vector<Outline> outlines_of(std::span<const uint8_t> map, PixelSize size) {
  assert(std::ssize(map) == area_of(size));
  PixelRuns runs(map, size);
  std::map<size_t, Outline, std::greater<>> by_first_run;
  runs.for_each([&](size_t first, const PixelRun& run) {
    Outline& outline = by_first_run[first];
    if (run.is_set) return add_ends(outline, run.y, run.begin, run.end);
    add_ends(outline, run.y, run.begin - 1, run.end + 1);
    add_beside(outline, run, runs.row(run.y - 1));
    add_beside(outline, run, runs.row(run.y + 1));
  });
  std::vector<Outline> outlines;
  for (auto& [first, outline] : by_first_run) outlines.push_back(std::move(outline));
  return outlines;
}

}  // namespace shingle
