// A box in a picture, and how much of two boxes is common to both. Double precision: scores of
// trackers are compared to 1e-6.
#pragma once

namespace shingle::drone {

struct PixelBox {  // x, y is the top left corner; a box without area may occur in files
  double x = 0.0, y = 0.0, w = 0.0, h = 0.0;
  double right() const { return x + w; }
  double bottom() const { return y + h; }
  double area() const { return w * h; }
  friend bool operator==(const PixelBox&, const PixelBox&) = default;
};

// The area that both cover; 0 where they do not meet.
double common_area(const PixelBox& a, const PixelBox& b);

// Intersection over union (IoU); 0 where the union has no area.
double overlap(const PixelBox& a, const PixelBox& b);

// The same where right and bottom name the last pixel inside, so each side is a pixel longer. Fast
// R-CNN's box code counts so, and ByteTrack with it.
double overlap_of_inclusive(const PixelBox& a, const PixelBox& b);

}  // namespace shingle::drone
