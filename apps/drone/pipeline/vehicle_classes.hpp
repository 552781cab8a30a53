// Which classes of a detector are vehicles, and what kind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/ground/vehicle_height.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

// The kind that a class's name says; a car where it says none.
VehicleKind kind_of(std::string_view class_name);
// Does it say car, van, truck, bus or lorry? Other vehicles may be smaller.
bool is_car_or_larger(std::string_view class_name);

// By class: is it followed? `wanted`: names or numbers with commas; empty: those whose names say
// car, van, truck, bus, lorry, motorcycle, motor, bicycle or vehicle. Errors: a wanted class that
// `names` lacks (with what it has), or no vehicle among them. Without names all classes are
// followed, unless numbers are wanted.
class VehicleClasses {
 public:
  static Result<VehicleClasses> make(const std::vector<std::string>& names,
                                     const std::string& wanted);
  bool contains(int class_id) const;

 private:
  bool takes_all_ = false;
  std::vector<int> classes_{};  // ascending
};

}  // namespace shingle::drone
