// Points, segments and polygons of a plane: what lies on which side, what crosses what.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace shingle::drone {

struct PlanePoint {  // or a vector, in the plane's unit: pixels or metres
  double x = 0.0, y = 0.0;
  friend bool operator==(const PlanePoint&, const PlanePoint&) = default;
};
inline PlanePoint operator+(PlanePoint a, PlanePoint b) { return {a.x + b.x, a.y + b.y}; }
inline PlanePoint operator-(PlanePoint a, PlanePoint b) { return {a.x - b.x, a.y - b.y}; }
inline PlanePoint operator*(double factor, PlanePoint a) { return {factor * a.x, factor * a.y}; }
inline double dot(PlanePoint a, PlanePoint b) { return a.x * b.x + a.y * b.y; }
inline double cross(PlanePoint a, PlanePoint b) { return a.x * b.y - a.y * b.x; }
double length_of(PlanePoint vector);

struct PlaneSegment {
  PlanePoint begin{}, end{};
};

// How far the point lies from the straight line through the segment. The sign is that of
// cross(end - begin, point - begin). REQUIRES: the segment has a length.
double signed_distance(const PlaneSegment& line, PlanePoint point);

// Where on `path` (0: its begin, 1: its end) it meets `other`; both ends of `other` count. None:
// they do not meet, or are parallel.
std::optional<double> meeting(const PlaneSegment& path, const PlaneSegment& other);

// A polygon is a ring of corners; its last side leads back to the first corner. Even-odd rule; a
// point on a side belongs to one of two polygons that share the side, not to both.
bool contains(std::span<const PlanePoint> polygon, PlanePoint point);

// The two sides that cross or touch each other though they are not neighbours, or that double back
// onto their neighbour. A side is named by the index of its first corner.
struct SidePair {
  size_t first = 0, second = 0;
};
std::optional<SidePair> self_crossing(std::span<const PlanePoint> polygon);

double area_of(std::span<const PlanePoint> polygon);  // signed: positive where x turns towards y

}  // namespace shingle::drone
