#include "apps/scene/vehicle.hpp"

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/scene/prism.hpp"

namespace shingle {
namespace {

constexpr double underside = 0.25;  // metres above the road where bodies begin
constexpr double open_bed_top = 1.6;
constexpr double tyre_foot = 0.03, wheel_side = 0.505;  // metres; of the width

const Outline car_unit{{0.50, -0.26},  {0.47, -0.40}, {0.38, -0.49}, {0.0, -0.50},  {-0.42, -0.49},
                       {-0.48, -0.42}, {-0.50, -0.3}, {-0.50, 0.3},  {-0.48, 0.42}, {-0.42, 0.49},
                       {0.0, 0.50},    {0.38, 0.49},  {0.47, 0.40},  {0.50, 0.26}};
const Outline box_unit{{0.50, -0.44}, {0.48, -0.5}, {-0.5, -0.5},
                       {-0.5, 0.5},   {0.48, 0.5},  {0.50, 0.44}};

// A roof above box_unit, corner by corner.
Outline box_roof(double rear, double front, double half) {
  return {{front, -half * 0.9}, {front - 0.02, -half}, {rear, -half},
          {rear, half},         {front - 0.02, half},  {front, half * 0.9}};
}

bool boxy(const VehicleShape& shape) { return shape.vehicle_class != VehicleClass::car; }

Outline quad(double rear, double front, double half_rear, double half_front) {
  return {{rear, -half_rear}, {front, -half_front}, {front, half_front}, {rear, half_rear}};
}

// Draws with the eyes of one camera on one vehicle.
class Painter {
 public:
  Painter(cv::Mat& image, const SceneView& view, const Vehicle& vehicle, const BodyLight& light)
      : image_(image), view_(view), vehicle_(vehicle), light_(light) {}

  cv::Point2d on_ground(cv::Point2d unit) const {
    return place(vehicle_.pose, vehicle_.shape.length, vehicle_.shape.width, unit);
  }
  Outline seen(const Outline& unit, double z) const {
    return pixels(view_, outline(unit), vehicle_.level + z);
  }
  void flat(const Outline& unit, double z, const Colour& colour) {
    fill(image_, seen(unit, z), shaded(colour, light_.light));
  }
  // A lamp shines by itself when it is on.
  void lamp(const Outline& unit, double z, const Colour& colour) {
    fill(image_, seen(unit, z), shaded(colour, light_.has_lamps_on ? 1.3 : light_.light));
  }
  // Whether the camera is before the plane across the vehicle at `unit`.
  bool is_ahead_of(double unit) const {
    return forward(vehicle_.pose.heading).dot(view_.nadir - on_ground({unit, 0})) > 0;
  }
  // A dark panel on the left or right side, if that side faces the camera.
  void wheel(double axle, double side) {
    const cv::Point2d hub = on_ground({axle, side});
    if ((hub - on_ground({axle, 0})).dot(view_.nadir - hub) <= 0) return;
    const double half = 0.34 / vehicle_.shape.length;
    Outline tyre = seen({{axle - half * 0.8, side}, {axle + half * 0.8, side}}, tyre_foot);
    const Outline upper = seen({{axle + half, side}, {axle - half, side}}, 0.5);
    tyre.insert(tyre.end(), upper.begin(), upper.end());
    fill(image_, tyre, grey(24 * light_.light));
  }
  void prism(const Outline& low, double z_low, const Outline& high, double z_high,
             const Colour& colour) {
    const double level = vehicle_.level;
    draw_sides(image_, view_, {outline(low), outline(high), level + z_low, level + z_high},
               {.colour = colour, .light = light_.light, .to_sun = light_.to_sun});
  }

 private:
  Outline outline(const Outline& unit) const {
    Outline points;
    for (const cv::Point2d& point : unit) points.push_back(on_ground(point));
    return points;
  }

  cv::Mat& image_;
  const SceneView& view_;
  const Vehicle& vehicle_;
  const BodyLight& light_;
};

// Wheels, where a camera from the side sees them.
void draw_wheels(Painter& painter) {
  for (const double side : {-wheel_side, wheel_side})
    for (const double axle : {-0.30, 0.30}) painter.wheel(axle, side);
}

void draw_lamps(Painter& painter, double z) {
  for (const double side : {-1.0, 1.0}) {
    painter.lamp(
        {{0.45, side * 0.30}, {0.49, side * 0.28}, {0.46, side * 0.42}, {0.42, side * 0.44}}, z,
        grey(225));
    painter.lamp(
        {{-0.49, side * 0.28}, {-0.46, side * 0.28}, {-0.46, side * 0.45}, {-0.48, side * 0.42}}, z,
        {30, 30, 150});
  }
}

void draw_car(Painter& painter, const VehicleShape& shape) {
  const Outline base = quad(shape.glass_rear, shape.glass_front, 0.43, 0.45);
  const Outline roof = quad(shape.roof_rear, shape.roof_front, 0.36, 0.38);
  painter.prism(car_unit, underside, car_unit, shape.belt, shaded(shape.body, 0.62));
  draw_wheels(painter);
  painter.flat(car_unit, shape.belt, shape.body);
  painter.flat(quad(0.26, 0.44, 0.30, 0.26), shape.belt, shaded(shape.body, 1.12));  // hood
  draw_lamps(painter, shape.belt);
  if (shape.open_bed)
    painter.flat(quad(-0.47, shape.glass_rear - 0.03, 0.38, 0.38), shape.belt, grey(45));
  painter.prism(base, shape.belt, roof, shape.height, shape.glass);
  painter.flat(roof, shape.height, shape.roof);
  if (shape.sunroof) {
    const double middle = (shape.roof_rear + shape.roof_front) / 2;
    painter.flat(quad(middle, shape.roof_front - 0.02, 0.24, 0.24), shape.height, grey(40));
  }
}

void draw_box(Painter& painter, const VehicleShape& shape) {
  painter.prism(box_unit, underside, box_unit, shape.height * 0.5, shaded(shape.body, 0.5));
  draw_wheels(painter);
  painter.prism(box_unit, shape.belt, box_roof(shape.roof_rear, shape.roof_front, 0.46),
                shape.height, shaded(shape.body, 0.72));
  // The windscreen, and the hood before it where there is one.
  painter.flat(quad(shape.glass_front, 0.49, 0.45, 0.36), shape.belt, shape.body);
  painter.prism(quad(shape.glass_front - 0.05, shape.glass_front, 0.44, 0.42), shape.belt,
                quad(shape.roof_front - 0.02, shape.roof_front, 0.42, 0.40), shape.height,
                shape.glass);
  painter.flat(quad(shape.roof_rear, shape.roof_front, 0.46, 0.45), shape.height, shape.roof);
  for (int i = 0; i < shape.hatches; ++i) {
    const double at = -0.38 + 0.76 * (i + 0.5) / shape.hatches;
    painter.flat(quad(at - 0.035, at + 0.035, 0.16, 0.16), shape.height,
                 shaded(shape.roof, i % 2 == 0 ? 0.72 : 0.86));
  }
}

void draw_cab(Painter& painter, const VehicleShape& shape) {
  const double gap = 0.5 - shape.cab;
  painter.prism(quad(gap, 0.5, 0.47, 0.44), underside, quad(gap, 0.49, 0.46, 0.42),
                shape.height * 0.8, shaded(shape.body, 0.6));
  painter.flat(quad(0.46, 0.495, 0.42, 0.40), shape.height * 0.6, shape.glass);
  painter.flat(quad(gap, 0.465, 0.46, 0.42), shape.height * 0.8, shape.body);
}

void draw_load(Painter& painter, const VehicleShape& shape) {
  const double front = 0.47 - shape.cab;
  const Outline box = quad(-0.5, front, 0.5, 0.5);
  const double top = shape.open_bed ? open_bed_top : shape.height;
  painter.prism(box, 0.6, box, top, shaded(shape.box, 0.65));
  painter.flat(box, top, shape.box);
  if (shape.open_bed)
    painter.flat(quad(-0.48, front - 0.02, 0.43, 0.43), top, shaded(shape.box, 0.55));
}

void draw_truck(Painter& painter, const VehicleShape& shape) {
  painter.prism(box_unit, underside, box_unit, 0.9, grey(48));
  draw_wheels(painter);
  // What is farther away comes first: the plane between both tells.
  const bool camera_is_ahead = painter.is_ahead_of(0.485 - shape.cab);
  if (camera_is_ahead) draw_load(painter, shape);
  draw_cab(painter, shape);
  if (!camera_is_ahead) draw_load(painter, shape);
}

Colour draw_paint(SceneDice& dice) {
  switch (dice.between(0, 15)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return tinted(dice, grey(dice.within(205, 245)), 6);  // white
    case 4:
    case 5:
    case 6:
      return tinted(dice, grey(dice.within(125, 190)), 8);  // silver
    case 7:
    case 8:
    case 9:
      return tinted(dice, grey(dice.within(22, 60)), 8);  // black
    case 10:
    case 11:
      return tinted(dice, grey(dice.within(60, 110)), 8);  // grey
    case 12:
      return tinted(dice, {40, 36, 170}, 30);  // red
    case 13:
      return tinted(dice, {130, 70, 35}, 30);  // blue
    case 14:
      return tinted(dice, {60, 80, 50}, 25);  // green
    default:
      return dice.chance(0.5) ? tinted(dice, {50, 170, 210}, 30)
                              : tinted(dice, {120, 150, 165}, 20);
  }
}

void make_car(SceneDice& dice, VehicleShape& shape) {
  shape.length = dice.within(3.6, 4.9);
  shape.width = 1.45 + shape.length * dice.within(0.07, 0.095);
  shape.height = dice.within(1.4, 1.5);
  switch (dice.between(0, 4)) {
    case 0:  // hatchback
      shape.glass_rear = -0.47, shape.roof_rear = -0.37, shape.roof_front = 0.05;
      break;
    case 1:  // estate or off-road
      shape.glass_rear = -0.48, shape.roof_rear = -0.43, shape.roof_front = 0.08;
      shape.height = dice.within(1.5, 1.75);
      break;
    case 2:  // pick-up, rarely
      if (dice.chance(0.3)) {
        shape.length = dice.within(4.8, 5.4), shape.height = 1.7, shape.open_bed = true;
        shape.glass_rear = -0.10, shape.roof_rear = -0.06, shape.roof_front = 0.10;
      }
      break;
    default:  // saloon
      shape.glass_rear = dice.within(-0.38, -0.33), shape.roof_rear = dice.within(-0.24, -0.18);
      shape.roof_front = dice.within(0.02, 0.08);
  }
  shape.sunroof = dice.chance(0.15);
}

void make_van(SceneDice& dice, VehicleShape& shape) {
  shape.vehicle_class = VehicleClass::van;
  shape.length = dice.within(4.7, 6.4), shape.width = dice.within(1.85, 2.05);
  shape.height = dice.within(1.9, 2.6), shape.belt = 1.1;
  shape.glass_front = dice.within(0.34, 0.40);
  shape.roof_rear = -0.485, shape.roof_front = shape.glass_front - dice.within(0.07, 0.12);
  if (dice.chance(0.6)) shape.body = tinted(dice, grey(225), 12);
}

void make_truck(SceneDice& dice, VehicleShape& shape) {
  shape.vehicle_class = VehicleClass::truck;
  shape.length = dice.within(6.5, 10.5), shape.width = dice.within(2.3, 2.55);
  shape.height = dice.within(2.9, 3.7), shape.cab = dice.within(1.6, 2.2) / shape.length;
  shape.open_bed = dice.chance(0.25);
}

void make_bus(SceneDice& dice, VehicleShape& shape) {
  shape.vehicle_class = VehicleClass::bus;
  shape.length = dice.within(10.0, 13.0), shape.width = 2.55, shape.height = 3.1, shape.belt = 1.2;
  shape.glass_front = 0.492, shape.roof_rear = -0.495, shape.roof_front = 0.485;
  shape.hatches = dice.between(2, 6);
}

}  // namespace

const char* name_of(VehicleClass vehicle_class) {
  switch (vehicle_class) {
    case VehicleClass::car:
      return "car";
    case VehicleClass::van:
      return "van";
    case VehicleClass::truck:
      return "truck";
    case VehicleClass::bus:
      return "bus";
  }
  return "";
}

cv::Point2d forward(double heading) { return {std::cos(heading), std::sin(heading)}; }

cv::Point2d place(const Pose& pose, double length, double width, cv::Point2d unit) {
  const cv::Point2d along = forward(pose.heading), across{-along.y, along.x};
  return pose.at + along * (unit.x * length) + across * (unit.y * width);
}

VehicleShape draw_vehicle_shape(SceneDice& dice, double trucks) {
  VehicleShape shape;
  shape.body = draw_paint(dice);
  shape.glass = tinted(dice, grey(dice.within(28, 75)), 8);
  shape.box = dice.chance(0.6) ? grey(dice.within(180, 235)) : draw_paint(dice);
  const double kind = dice.within(0.0, 1.0);
  if (kind < trucks * 0.65)
    make_truck(dice, shape);
  else if (kind < trucks)
    make_bus(dice, shape);
  else if (kind < trucks + 0.14)
    make_van(dice, shape);
  else
    make_car(dice, shape);
  shape.roof = shaded(shape.body, dice.within(0.95, 1.12));
  return shape;
}

Outline silhouette(const SceneView& view, const Vehicle& vehicle) {
  cv::Mat nothing;
  const BodyLight any;
  const Painter painter(nothing, view, vehicle, any);
  const VehicleShape& shape = vehicle.shape;
  const bool box = boxy(shape);
  Outline all = painter.seen(box ? box_unit : car_unit, underside);
  const auto add = [&](const Outline& unit, double z) {
    const Outline points = painter.seen(unit, z);
    all.insert(all.end(), points.begin(), points.end());
  };
  add(quad(-0.36, 0.36, wheel_side, wheel_side), tyre_foot);
  if (!box) {
    add(car_unit, shape.belt);
    add(quad(shape.roof_rear, shape.roof_front, 0.36, 0.38), shape.height);
  } else if (shape.cab > 0) {
    add(quad(0.5 - shape.cab, 0.49, 0.46, 0.42), shape.height * 0.8);
    add(quad(-0.5, 0.47 - shape.cab, 0.5, 0.5), shape.open_bed ? open_bed_top : shape.height);
  } else {
    add(box_unit, shape.height * 0.5);
    add(quad(shape.roof_rear, shape.roof_front, 0.46, 0.45), shape.height);
  }
  return hull(all);
}

void draw(cv::Mat& image, const SceneView& view, const Vehicle& vehicle, const BodyLight& light) {
  Painter painter(image, view, vehicle, light);
  if (!boxy(vehicle.shape))
    draw_car(painter, vehicle.shape);
  else if (vehicle.shape.cab > 0)
    draw_truck(painter, vehicle.shape);
  else
    draw_box(painter, vehicle.shape);
}

void draw_shadow(cv::Mat& light, const SceneView& view, const Vehicle& vehicle, cv::Point2d sun,
                 double shade) {
  const VehicleShape& shape = vehicle.shape;
  const Outline roof = boxy(shape) ? quad(-0.5, 0.5, 0.48, 0.48)
                                   : quad(shape.roof_rear, shape.roof_front, 0.42, 0.42);
  Outline reach;
  const auto cast = [&](const Outline& unit, double z) {
    for (const cv::Point2d& point : unit)
      reach.push_back(
          pixel(view, place(vehicle.pose, shape.length * 1.02, shape.width * 1.05, point) + sun * z,
                vehicle.level));
  };
  cast(car_unit, 0.0);
  cast(car_unit, shape.belt);
  cast(roof, shape.height);
  fill(light, hull(reach), grey(255 * shade));
}

bool collide(const Vehicle& a, const Vehicle& b, double margin) {
  const auto footprint = [margin](const Vehicle& vehicle) {
    return cv::RotatedRect(cv::Point2f(vehicle.pose.at),
                           cv::Size2f(static_cast<float>(vehicle.shape.length + margin),
                                      static_cast<float>(vehicle.shape.width + margin)),
                           static_cast<float>(vehicle.pose.heading * 180.0 / CV_PI));
  };
  if (a.level != b.level) return false;
  std::vector<cv::Point2f> shared;
  return cv::rotatedRectangleIntersection(footprint(a), footprint(b), shared) != cv::INTERSECT_NONE;
}

}  // namespace shingle
