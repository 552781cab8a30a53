// Which classes are followed.
#include "apps/drone/pipeline/vehicle_classes.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

const std::vector<std::string> some_names{"person", "Car", "school bus", "bush", "truck"};

}  // namespace

TEST_CASE("vehicles are known by their names, as words") {
  const auto classes = VehicleClasses::make(some_names, "");
  REQUIRE_MESSAGE(classes, classes.error());
  CHECK_FALSE(classes->contains(0));
  CHECK(classes->contains(1));
  CHECK(classes->contains(2));
  CHECK_FALSE(classes->contains(3));
  CHECK(classes->contains(4));
}

TEST_CASE("wanted classes are names or numbers") {
  const auto classes = VehicleClasses::make(some_names, "person, 4");
  REQUIRE_MESSAGE(classes, classes.error());
  CHECK(classes->contains(0));
  CHECK(classes->contains(4));
  CHECK_FALSE(classes->contains(1));
  const auto numbered = VehicleClasses::make({}, "7");
  REQUIRE(numbered);
  CHECK(numbered->contains(7));
  CHECK_FALSE(numbered->contains(6));
  CHECK(VehicleClasses::make({}, "")->contains(123));  // nobody knows what it is
}

TEST_CASE("a model without vehicles, or without the wanted class, is refused") {
  const auto animals = VehicleClasses::make({"cat", "dog"}, "");
  REQUIRE_FALSE(animals);
  CHECK(animals.error().find("cat, dog") != std::string::npos);
  CHECK(animals.error().find("--classes") != std::string::npos);
  const auto plane = VehicleClasses::make(some_names, "plane");
  REQUIRE_FALSE(plane);
  CHECK(plane.error().find("'plane'") != std::string::npos);
  CHECK_FALSE(VehicleClasses::make(some_names, "9"));
  CHECK_FALSE(VehicleClasses::make({}, "car"));
}

TEST_CASE("the kind is what the name says") {
  CHECK(kind_of("school bus") == VehicleKind::bus);
  CHECK(kind_of("Truck") == VehicleKind::truck);
  CHECK(kind_of("van") == VehicleKind::van);
  CHECK(kind_of("caravan") == VehicleKind::car);
  CHECK(kind_of("car") == VehicleKind::car);
}

TEST_CASE("two-wheelers, and what may be one, can be shorter than a car") {
  for (const char* name : {"car", "Van", "truck", "school bus", "lorry"}) {
    CAPTURE(name);
    CHECK(is_car_or_larger(name));
  }
  for (const char* name : {"motorcycle", "motor", "bicycle", "vehicle", "person", "caravan", ""}) {
    CAPTURE(name);
    CHECK_FALSE(is_car_or_larger(name));
  }
}
