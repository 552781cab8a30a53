// Selects the boxes that overlap no better box of their class. Each class of each picture is
// computed by itself:
//
//   scores   .9 .2 .8 .9 ...          1. the next few boxes in the order of scores, then indices
//   order    0, 3, 2, ...             2. each that overlaps none of the selected ones is selected
//   selected 0, 3, ...                3. from 1 again, until no box or no room is left
//
// Areas are computed in float and compared as ONNX Runtime does, so that a file selects what it
// selects there.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "devices/executor/view.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

struct Candidate {
  float score = 0.0F;
  int32_t box = 0;
};

bool is_better(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.box < b.box;
}

// The boxes of one class in the order of scores. A scan of all of them finds the next 512, so the
// memory does not grow with their number.
class Ranking {
 public:
  Ranking(const Suppression& op, const float* scores, int32_t stride, int32_t boxes)
      : op_(op), scores_(scores), stride_(stride), boxes_(boxes) {}

  // None: there are no more.
  const Candidate* next() {
    if (taken_ == found_) scan();
    if (taken_ == found_) return nullptr;
    last_ = next_[taken_++];
    return &last_;
  }

 private:
  bool counts(float score) const {
    if (op_.least_score == -std::numeric_limits<float>::infinity()) return score == score;
    return score > op_.least_score;
  }

  // The best boxes behind the last one. While there is no room, the worst of them stands first.
  void scan() {
    const bool from_start = last_.box < 0;
    taken_ = found_ = 0;
    for (int32_t box = 0; box < boxes_; ++box) {
      const Candidate candidate{scores_[int64_t{box} * stride_], box};
      if (!counts(candidate.score) || (!from_start && !is_better(last_, candidate))) continue;
      if (found_ == next_.size()) {
        if (!is_better(candidate, next_.front())) continue;
        std::pop_heap(next_.begin(), next_.end(), is_better);
        --found_;
      }
      next_[found_++] = candidate;
      std::push_heap(next_.begin(), next_.begin() + static_cast<ptrdiff_t>(found_), is_better);
    }
    std::sort_heap(next_.begin(), next_.begin() + static_cast<ptrdiff_t>(found_), is_better);
  }

  const Suppression& op_;
  const float* scores_;
  int32_t stride_, boxes_;
  std::array<Candidate, 512> next_{};
  size_t taken_ = 0, found_ = 0;
  Candidate last_{.score = 0.0F, .box = -1};  // that next() returned
};

struct Side {
  float low = 0.0F, high = 0.0F;
  float length() const { return high - low; }
};

// The sides of a box, whichever of its corners comes first.
struct Sides {
  Side x, y;

  Sides(const Suppression& op, const float* box) {
    if (op.centers) {
      const float half_width = box[2] / 2, half_height = box[3] / 2;
      x = {box[0] - half_width, box[0] + half_width};
      y = {box[1] - half_height, box[1] + half_height};
    } else {
      y = {std::min(box[0], box[2]), std::max(box[0], box[2])};
      x = {std::min(box[1], box[3]), std::max(box[1], box[3])};
    }
  }
  float area() const { return x.length() * y.length(); }
};

Side overlap(const Side& a, const Side& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

bool overlaps(const Suppression& op, const Sides& a, const Sides& b) {
  const Side x = overlap(a.x, b.x), y = overlap(a.y, b.y);
  if (x.high <= x.low || y.high <= y.low) return false;
  const float both = x.length() * y.length();
  const float either = a.area() + b.area() - both;
  if (both <= 0.0F || a.area() <= 0.0F || b.area() <= 0.0F || either <= 0.0F) return false;
  return both / either > op.most_overlap;
}

// Writes those rows that the call asks for.
class Rows {
 public:
  explicit Rows(const PlainCall& call) : call_(call) {}

  bool are_written() const { return row_ >= call_.region.x.end; }
  void add(float picture, float of_class, float box) {
    if (row_ >= call_.region.x.begin && !are_written()) {
      const std::array<float, 3> row{picture, of_class, box};
      float* out = at(call_.output, 0, row_, call_.region.c.begin);
      for (int32_t c = call_.region.c.begin; c < call_.region.c.end; ++c)
        *out++ = row[static_cast<size_t>(c)];
    }
    ++row_;
  }
  void fill() {
    while (!are_written()) add(-1.0F, -1.0F, -1.0F);
  }

 private:
  const PlainCall& call_;
  int32_t row_ = 0;
};

// Selects boxes of one class, and adds them to the rows.
void select(const PlainCall& call, const Suppression& op, int32_t picture, int32_t of_class,
            std::vector<int32_t>& selected, Rows& rows) {
  const ConstTensorView &boxes = call.inputs[0], &scores = call.inputs[1];
  const Shape shape = call.model.at(call.layer.inputs[1]).shape;
  Ranking ranking(op, at(scores, picture, 0, of_class), scores.region.c.size(), shape.w);
  selected.clear();
  while (std::ssize(selected) < op.most_boxes && !rows.are_written()) {
    const Candidate* candidate = ranking.next();
    if (candidate == nullptr) return;
    const Sides sides(op, at(boxes, picture, candidate->box, 0));
    const auto hides = [&](int32_t better) {
      return overlaps(op, Sides(op, at(boxes, picture, better, 0)), sides);
    };
    if (std::any_of(selected.begin(), selected.end(), hides)) continue;
    selected.push_back(candidate->box);
    rows.add(static_cast<float>(picture), static_cast<float>(of_class),
             static_cast<float>(candidate->box));
  }
}

}  // namespace

void run_operator(const PlainCall& call, const Suppression& op) {
  const Shape scores = call.model.at(call.layer.inputs[1]).shape;
  Rows rows(call);
  std::vector<int32_t> selected;
  for (int32_t picture = 0; picture < scores.h; ++picture) {
    for (int32_t of_class = 0; of_class < scores.c; ++of_class)
      select(call, op, picture, of_class, selected, rows);
  }
  rows.fill();
}

}  // namespace shingle
