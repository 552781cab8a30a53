// Vehicles of a scene: 2.5-dimensional bodies of a few prisms, drawn from the ground up.
//
//        side                           top (front to the right)
//          roof ____                     ___________________
//     belt ___/    \____                | |  rear   roof |wind| hood |
//         |__ o ____ o _|               |_|________|_____|____|______|
#pragma once

#include <cstdint>

#include "apps/scene/paint.hpp"
#include "apps/scene/view.hpp"

namespace shingle {

enum class VehicleClass { car, van, truck, bus };
const char* name_of(VehicleClass vehicle_class);

struct Pose {
  cv::Point2d at;        // metres; the middle of the footprint
  double heading = 0.0;  // radians from x towards y
};

cv::Point2d forward(double heading);
// Unit coordinates of a footprint (u along, v across, each -0.5 to 0.5) in the scene.
cv::Point2d place(const Pose& pose, double length, double width, cv::Point2d unit);

struct VehicleShape {
  VehicleClass vehicle_class = VehicleClass::car;
  double length = 4.4, width = 1.8, height = 1.45, belt = 0.85;  // metres
  double glass_rear = -0.36, glass_front = 0.22;                 // greenhouse at the belt, in u
  double roof_rear = -0.20, roof_front = 0.06;                   // and at the roof
  double cab = 0.0;  // trucks: the part of the length that is cab, before a box
  Colour body, roof, glass, box;
  bool sunroof = false, open_bed = false;
  int hatches = 0;  // on the roof of a bus
};
VehicleShape draw_vehicle_shape(SceneDice& dice,
                                double trucks = 0.08);  // share of trucks and buses

struct Vehicle {
  uint32_t id = 0;
  VehicleShape shape;
  Pose pose;
  double level = 0.0;  // height of its road in metres
  double speed = 0.0;  // metres per second
};

// What one sees of it, without its shadow, in pixels: convex.
Outline silhouette(const SceneView& view, const Vehicle& vehicle);

// How a body is lit: `light` of full daylight from above, and more on the sides that face the sun.
struct BodyLight {
  double light = 1.0;
  cv::Point2d to_sun{};  // of length 1, or 0: no side is lighter than another
  bool has_lamps_on = false;
};
void draw(cv::Mat& image, const SceneView& view, const Vehicle& vehicle,
          const BodyLight& light = {});

// Its shadow into a map of light (8 bit, 255 is full light). `sun` is the shadow of one metre.
void draw_shadow(cv::Mat& light, const SceneView& view, const Vehicle& vehicle, cv::Point2d sun,
                 double shade);

// Whether two footprints, each wider by `margin` metres, meet.
bool collide(const Vehicle& a, const Vehicle& b, double margin);

}  // namespace shingle
