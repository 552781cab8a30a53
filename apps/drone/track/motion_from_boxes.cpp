#include "apps/drone/track/motion_from_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace shingle::drone {
namespace {

constexpr double most_size_ratio = 1.5;  // of the sides of two boxes that may be one vehicle
constexpr size_t fewest = 4;             // boxes that agree
constexpr double least_share = 0.3;      // of the expected ones
constexpr int rounds = 3;

using Point = Eigen::Vector2d;
struct Pair {
  Point from, to;
};

Point middle_of(const PixelBox& box) { return {box.x + box.w / 2.0, box.y + box.h / 2.0}; }
double length_of(const PixelBox& box) { return std::sqrt(std::max(box.area(), 1.0)); }

bool are_alike(const PixelBox& a, const PixelBox& b) {
  const auto near = [](double p, double q) {
    return p < most_size_ratio * q && q < most_size_ratio * p;
  };
  return near(a.w, b.w) && near(a.h, b.h);
}

double median_length(std::span<const PixelBox> boxes) {
  std::vector<double> lengths;
  for (const PixelBox& box : boxes) lengths.push_back(length_of(box));
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

// The plane of shifts in squares of half a box. A square's voters are the expected boxes that have
// a partner there or in one of the eight squares around it; each counts once.
class Votes {
 public:
  explicit Votes(double side) : side_(side) {}
  void add(size_t voter, const Point& shift) {
    const auto [column, row] = square_of(shift);
    for (int across = -1; across <= 1; ++across)
      for (int along = -1; along <= 1; ++along)
        voters_[{column + across, row + along}].insert(voter);
    shifts_.emplace_back(voter, shift);
  }
  // The mean shift of the best square and those around it.
  std::optional<Point> winner() const {
    std::pair<int64_t, int64_t> best{};
    size_t most = 0;
    for (const auto& [square, voters] : voters_) {
      if (voters.size() < most || (voters.size() == most && !is_shorter(square, best))) continue;
      best = square;
      most = voters.size();
    }
    if (most == 0) return std::nullopt;
    Point sum = Point::Zero();
    double count = 0.0;
    for (const auto& [voter, shift] : shifts_) {
      const auto [column, row] = square_of(shift);
      if (std::abs(column - best.first) > 1 || std::abs(row - best.second) > 1) continue;
      sum += shift;
      count += 1.0;
    }
    return sum / count;
  }

 private:
  using Square = std::pair<int64_t, int64_t>;
  Square square_of(const Point& shift) const {
    return {std::llround(shift.x() / side_), std::llround(shift.y() / side_)};
  }
  static bool is_shorter(const Square& a, const Square& b) {
    return a.first * a.first + a.second * a.second < b.first * b.first + b.second * b.second;
  }

  double side_;
  std::map<Square, std::set<size_t>> voters_{};
  std::vector<std::pair<size_t, Point>> shifts_{};
};

// Each expected box with the seen one of its size that is nearest to where the motion brings it.
std::vector<Pair> pairs_after(const Homography& motion, std::span<const PixelBox> expected,
                              std::span<const PixelBox> seen) {
  std::vector<Pair> pairs;
  for (const PixelBox& box : expected) {
    const Point from = middle_of(box);
    const Point there = (motion * Eigen::Vector3d(from.x(), from.y(), 1.0)).head<2>();
    double nearest = length_of(box) / 2.0;
    std::optional<Point> partner;
    for (const PixelBox& other : seen) {
      const double away = (middle_of(other) - there).norm();
      if (away >= nearest || !are_alike(box, other)) continue;
      nearest = away;
      partner = middle_of(other);
    }
    if (partner) pairs.push_back({from, *partner});
  }
  return pairs;
}

// Least squares (Umeyama 1991, in the plane).
Homography similarity_of(const std::vector<Pair>& pairs) {
  Point from = Point::Zero(), to = Point::Zero();
  for (const Pair& pair : pairs) from += pair.from, to += pair.to;
  from /= static_cast<double>(pairs.size());
  to /= static_cast<double>(pairs.size());
  double along = 0.0, across = 0.0, spread = 0.0;
  for (const Pair& pair : pairs) {
    const Point a = pair.from - from, b = pair.to - to;
    along += a.dot(b);
    across += a.x() * b.y() - a.y() * b.x();
    spread += a.squaredNorm();
  }
  const double cosine = spread > 0.0 ? along / spread : 1.0;
  const double sine = spread > 0.0 ? across / spread : 0.0;
  Homography motion = Homography::Identity();
  motion.topLeftCorner<2, 2>() << cosine, -sine, sine, cosine;
  motion.topRightCorner<2, 1>() = to - motion.topLeftCorner<2, 2>() * from;
  return motion;
}

}  // namespace

std::optional<Homography> motion_from_boxes(std::span<const PixelBox> expected,
                                            std::span<const PixelBox> seen) {
  if (expected.size() < fewest || seen.size() < fewest) return std::nullopt;
  Votes votes(median_length(expected) / 2.0);
  for (size_t i = 0; i < expected.size(); ++i)
    for (const PixelBox& other : seen)
      if (are_alike(expected[i], other)) votes.add(i, middle_of(other) - middle_of(expected[i]));
  const auto shift = votes.winner();
  if (!shift) return std::nullopt;
  Homography motion = Homography::Identity();
  motion.topRightCorner<2, 1>() = *shift;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Pair> pairs = pairs_after(motion, expected, seen);
    if (pairs.size() < fewest ||
        static_cast<double>(pairs.size()) < least_share * static_cast<double>(expected.size()))
      return std::nullopt;
    motion = similarity_of(pairs);
  }
  return motion;
}

}  // namespace shingle::drone
