#include "devices/pass/pass_stages.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace shingle {

namespace {

// The bytes of the stages that begin with one step, as they grow by a step at a time.
class Stage {
 public:
  Stage(const std::vector<StagedMap>& maps, size_t begin) : maps_(maps), end_(begin) {
    for (size_t i = 0; i < begin; ++i) bytes_ += maps[i].last_reader >= begin ? maps[i].whole : 0;
    begin_ = begin;
  }

  // With the next step. `read_last`: the steps whose maps it is the last to read.
  int64_t grow(const std::vector<size_t>& read_last) {
    const StagedMap& made = maps_[end_];
    bytes_ += made.kept + (made.last_reader > end_ ? made.whole : made.in_strips);
    for (const size_t step : read_last) {
      if (step >= begin_ && step != end_) bytes_ += maps_[step].in_strips - maps_[step].whole;
    }
    ++end_;
    return bytes_;
  }

 private:
  const std::vector<StagedMap>& maps_;
  size_t begin_ = 0, end_ = 0;
  int64_t bytes_ = 0;
};

class Divider {
 public:
  explicit Divider(const std::vector<StagedMap>& maps) : maps_(maps), read_last_(maps.size()) {
    for (size_t i = 0; i < maps.size(); ++i) {
      assert(maps[i].last_reader >= i && maps[i].last_reader < maps.size());
      read_last_[maps[i].last_reader].push_back(i);
    }
  }

  // The bytes of the fullest stage, where these are fewest.
  int64_t fewest_bytes() const {
    std::vector<int64_t> best(maps_.size() + 1, INT64_MAX);  // of the first steps
    best[0] = 0;
    for (size_t begin = 0; begin < maps_.size(); ++begin) {
      Stage stage(maps_, begin);
      for (size_t end = begin; end < maps_.size(); ++end) {
        const int64_t bytes = std::max(best[begin], stage.grow(read_last_[end]));
        best[end + 1] = std::min(best[end + 1], bytes);
      }
    }
    return best.back();
  }

  // Of stages that hold no more, those that hold least together. REQUIRES: bytes >= fewest_bytes().
  std::vector<size_t> stages_within(int64_t bytes) const {
    std::vector<int64_t> least(maps_.size() + 1, INT64_MAX);  // of the first steps, together
    std::vector<size_t> from(maps_.size() + 1, 0);
    least[0] = 0;
    for (size_t begin = 0; begin < maps_.size(); ++begin) {
      if (least[begin] == INT64_MAX) continue;
      Stage stage(maps_, begin);
      for (size_t end = begin; end < maps_.size(); ++end) {
        const int64_t held = stage.grow(read_last_[end]);
        if (held > bytes || least[begin] + held >= least[end + 1]) continue;
        least[end + 1] = least[begin] + held;
        from[end + 1] = begin;
      }
    }
    std::vector<size_t> stages(maps_.size(), 0);  // 1 where a stage begins; then their running sum
    for (size_t begin = maps_.size(); begin > 0;) {
      begin = from[begin];
      if (begin > 0) stages[begin] = 1;
    }
    std::partial_sum(stages.begin(), stages.end(), stages.begin());
    return stages;
  }

 private:
  const std::vector<StagedMap>& maps_;
  std::vector<std::vector<size_t>> read_last_;  // by step
};

}  // namespace

std::vector<size_t> divide_into_stages(const std::vector<StagedMap>& maps) {
  const Divider divider(maps);
  return divider.stages_within(divider.fewest_bytes());
}

}  // namespace shingle
