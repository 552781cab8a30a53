// The pose in DJI photographs.
#include <doctest/doctest.h>

#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

std::string packet(const std::string& inside) {
  return "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description "
         "xmlns:drone-dji=\"http://www.dji.com/drone-dji/1.0/\" " +
         inside + "</x:xmpmeta>";
}

}  // namespace

TEST_CASE("six stills carry height and gimbal angles from straight down to 19 degrees") {
  const auto folder = shared_data("aerial-cars");
  if (!folder) return;
  struct Still {
    const char* file;
    double height, pitch, yaw;
  };
  for (const Still& still :
       {Still{"DJI_0012.JPG", 99.0, -90.0, 37.1}, Still{"DJI_0028.JPG", 119.3, -24.5, -64.9}}) {
    const Flight flight = flight_in(*folder + "/" + still.file);
    CHECK(flight.format == LogFormat::dji_xmp);
    REQUIRE(flight.samples.size() == 1);
    CHECK(flight.samples[0].height == still.height);
    CHECK(flight.samples[0].gimbal_pitch == still.pitch);
    CHECK(flight.samples[0].gimbal_yaw == still.yaw);
    CHECK(flight.clock == LogClock::none);  // the date has no time of day
  }
  double shallowest = -90.0;
  for (const char* file : {"DJI_0012.JPG", "DJI_0019.JPG", "DJI_0022.JPG", "DJI_0028.JPG",
                           "DJI_0030.JPG", "DJI_0031.JPG"})
    shallowest = std::max(shallowest, *flight_in(*folder + "/" + file).samples.at(0).gimbal_pitch);
  CHECK(shallowest == doctest::Approx(-19.0).epsilon(0.05));
}

TEST_CASE("properties are read as attributes and as elements, with either spelling of longitude") {
  const Flight flight = flight_of(
      packet("xmp:CreateDate='2023-05-02T19:40:59+02:00' drone-dji:GpsLongtitude = \"+2.234156\" "
             "drone-dji:FlightYawDegree='-64.70'> <drone-dji:RelativeAltitude>+35.20</drone-dji:"
             "RelativeAltitude><drone-dji:GpsLatitude>41.424724</drone-dji:GpsLatitude>"));
  const Telemetry& sample = flight.samples.at(0);
  CHECK(sample.longitude == 2.234156);
  CHECK(sample.latitude == 41.424724);
  CHECK(sample.height == 35.2);
  CHECK(sample.body_yaw == -64.7);
  CHECK(flight.clock == LogClock::utc);
  CHECK(sample.clock == 1683049259.0);
}

TEST_CASE("bad XMP is refused in one sentence") {
  check_sentence(read_flight(packet("drone-dji:RelativeAltitude=\"high\">"), "a.xmp"),
                 "the property drone-dji:RelativeAltitude 'high', not a number");
  check_sentence(read_flight(packet(">"), "a.xmp"), "names DJI's XMP but has no pose");
  check_sentence(read_flight(packet("drone-dji:GimbalPitchDegree=\"-900\">"), "a.xmp"),
                 "'a.xmp' has the gimbal_pitch -900 deg, which is impossible");
}
