// One track at one line: on which side it is held, and when it passes from one side to the other.
// What a crossing is: crossings.hpp. Points come one after the other, so whole tracks and tracks
// that still go on cross at the same times.
#pragma once

#include <optional>

#include "apps/drone/count/site.hpp"

namespace shingle::drone {

struct LinePassage {
  bool goes_to_positive = false;  // to the side where signed_distance() is positive
  double seconds = 0.0;           // when it met the line
  size_t nearest = 0;             // which point before or behind the line is nearer to it in time
  Direction direction(bool right_is_positive) const {
    return goes_to_positive == right_is_positive ? Direction::forward : Direction::backward;
  }
};

class SideWatch {
 public:
  struct Point {
    size_t index = 0;  // the caller's number of it
    double seconds = 0.0;
    PlanePoint at{};
  };

  // REQUIRES: the line has a length.
  SideWatch(const PlaneSegment& line, const CountLimits& limits)
      : line_(line), hold_frames_(limits.hold_frames), hold_distance_(limits.hold_distance) {}

  // The track's next point, by time. A passage is told as soon as the new side is held.
  std::optional<LinePassage> see(const Point& point);

 private:
  struct Stay {  // points in succession on one side
    bool is_positive = false;
    Point first{};
    size_t count = 0;
    double farthest = 0.0;
  };
  struct Held {
    bool is_positive = false;
    Point last{};
  };

  PlaneSegment line_;
  size_t hold_frames_;
  double hold_distance_;
  Stay stay_{};
  std::optional<Held> held_{};
};

}  // namespace shingle::drone
