// Flight logs as CSV: column maps, units, ready maps, and what is wrong with a table.
#include <doctest/doctest.h>

#include "apps/drone/logs/column_map.hpp"
#include "apps/drone/logs/csv_table.hpp"
#include "apps/drone/logs/flight_summary.hpp"
#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

TEST_CASE("geo-trax's log is recognised, and its frame numbers can be the video's time") {
  const auto folder = shared_data("geo-trax");
  if (!folder) return;
  const std::string path = *folder + "/flight_log.csv";
  const Flight flight = flight_in(path);
  REQUIRE(flight.samples.size() == 151);
  CHECK(flight.format == LogFormat::csv);
  CHECK(flight.time == LogTime::clock);
  CHECK(flight.clock == LogClock::local);
  CHECK(flight.samples[1].seconds == doctest::Approx(0.033));
  CHECK(flight.end_seconds == doctest::Approx(5.004));
  CHECK(flight.samples[0].height == 146.0);
  CHECK(flight.samples[0].altitude == 94.465);
  CHECK(flight.samples[0].focal_35mm == 24.0);
  CHECK(flight.samples[0].latitude == 37.38892);
  const Flight by_frame =
      flight_in(path, {.columns = "video_time=frame:29.97fps, local_time=timestamp, height=rel_alt",
                       .zone_hours = 9.0});
  CHECK(by_frame.time == LogTime::video);
  CHECK(by_frame.clock == LogClock::utc);
  CHECK(by_frame.samples[150].seconds == doctest::Approx(150 / 29.97));
  CHECK(by_frame.samples[0].clock == doctest::Approx(1665132733.5).epsilon(1e-12));
}

TEST_CASE("a column map gives units, numbers of columns and quoted fields") {
  const Flight flight = flight_of(
      "t;\"alt; feet\";lat;pitch;yaw;focal\r\n"
      "1000;\"100\";412345678;-0.5;1801;8.8\r\n"
      "1500;;412345679;-0.5;1802;8.8\r\n",
      {.columns = "time=t:ms, height=#2:ft, latitude=lat:e7deg,\n gimbal_pitch=pitch:rad, "
                  "body_yaw=yaw:ddeg, focal_length=focal",
       .zone_hours = {}});
  REQUIRE(flight.samples.size() == 2);
  CHECK(flight.time == LogTime::own);
  CHECK(flight.clock == LogClock::none);
  CHECK(flight.samples[0].seconds == 1.0);
  CHECK(flight.samples[0].height == doctest::Approx(30.48));
  CHECK(!flight.samples[1].height.has_value());  // an empty field
  CHECK(flight.samples[0].latitude == doctest::Approx(41.2345678));
  CHECK(flight.samples[0].gimbal_pitch == doctest::Approx(-28.64788976));
  CHECK(flight.samples[0].body_yaw == doctest::Approx(180.1));
  CHECK(flight.samples[0].focal_length == 8.8);
}

TEST_CASE("Airdata's and DJI's app's tables are recognised by their headers") {
  const Flight airdata = flight_of(
      "time(millisecond),datetime(utc),latitude,longitude,height_above_takeoff(feet),"
      "altitude_above_seaLevel(feet), compass_heading(degrees), pitch(degrees), roll(degrees),"
      "gimbal_heading(degrees),gimbal_pitch(degrees),gimbal_roll(degrees)\n"
      "0,2023-05-02 17:40:59,53.578046,-1.775009,100,450,270.5,-3.1,1.2,271.0,-90,0\n"
      "100,2023-05-02 17:40:59,53.578047,-1.775009,101,451,270.5,-3.1,1.2,271.0,-90,0\n");
  REQUIRE(airdata.samples.size() == 2);
  CHECK(airdata.time == LogTime::own);
  CHECK(airdata.clock == LogClock::utc);
  CHECK(airdata.samples[1].seconds == doctest::Approx(0.1));
  CHECK(airdata.samples[0].height == doctest::Approx(30.48));
  CHECK(airdata.samples[0].body_yaw == 270.5);
  CHECK(airdata.samples[0].gimbal_yaw == 271.0);
  const Flight app = flight_of(
      "sep=,\nCUSTOM.date [local],OSD.flyTime [s],OSD.latitude,OSD.longitude,OSD.height [m],"
      "GIMBAL.pitch,GIMBAL.yaw\n1/9/2019,0.1,41.4,2.2,80.5,-45.0,10.0\n");
  CHECK(app.samples[0].height == 80.5);
  CHECK(app.samples[0].gimbal_pitch == -45.0);
}

TEST_CASE("what is written as CSV is read back without a map") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight flight = flight_in(*folder + "/p4_rtk.SRT");
  const Flight again = flight_of(csv_of(flight));
  REQUIRE(again.samples.size() == flight.samples.size());
  CHECK(again.time == LogTime::video);
  for (size_t at = 0; at < flight.samples.size(); ++at) {
    CHECK(again.samples[at].seconds == flight.samples[at].seconds);
    for (const TelemetryField& field : telemetry_fields())
      CHECK(again.samples[at].*field.value == flight.samples[at].*field.value);
  }
}

TEST_CASE(
    "clocks of whole seconds are spread, and a table that breaks off is read as far as it goes") {
  const Flight flight = flight_of(
      "utc,height\n2024-02-29 23:59:59Z,1\n2024-02-29 23:59:59Z,2\n2024-03-01T00:00:00Z,3\n,4\n"
      "2024-03-01T00:00:01Z,4\n2024-03-0");
  REQUIRE(flight.samples.size() == 4);
  CHECK(flight.samples[1].seconds == doctest::Approx(0.5));
  CHECK(flight.samples[2].seconds == doctest::Approx(1.0));
  CHECK(flight.samples[3].height == 4.0);
  REQUIRE(flight.notes.size() == 3);
  CHECK(flight.notes[0] == "the file breaks off in line 7; that row is left out");
  CHECK(flight.notes[1] == "rows without a time, left out: 1");
  CHECK(flight.notes[2].ends_with("placed evenly between their neighbours: 1"));
}

TEST_CASE("bad tables are refused in one sentence with the line and the column") {
  const auto refusal = [](const std::string& text, const std::string& columns,
                          const std::string& part) {
    check_sentence(read_flight(text, "a.csv", {.columns = columns, .zone_hours = {}}), part);
  };
  const std::string map = "time=t, height=h";
  refusal("t,h\n1,2\n2,high\n3,4\n", map,
          "'a.csv' line 3 has 'high' in the column 'h', not a number");
  refusal("t,h\n1,2\n2\n3,4\n", map, "line 3 has 1 of at least 2 fields");
  refusal("t,h\n2,2\n1,2\n", map, "line 3 goes back in time by 1 s");
  refusal("t,h\n1,2\n1,3\n", map, "2 samples, all at one time");
  refusal("t,h\n1,99000\n", map, "line 2 has the height 99000 m, which is impossible");
  refusal("t,h\n0,1\n9e6,1\n", map, "line 3 is 9000000 s from the first sample");
  refusal("t,h\n1e20,1\n", "utc=t:s, height=h", "line 2 has a clock that is 1e+20 s from 1970");
  refusal("t,h\n", map, "has no telemetry");
  refusal("t,h\n1,2\n", "time=t, height=alt", "line 1 has no column 'alt'; its columns are t, h");
  refusal("t,h\n1,2\n", "time=t, height=#3", "has no column '#3'");
  refusal("t,h\n1,2\n", "airdata", "none of the columns of time of the map 'airdata'");
  refusal("a,b\n1,2\n", "", "columns that no ready map (geo-trax, airdata, dji-app, shingle) fits");
  refusal("t,h\nmonday,2\n", "utc=t, height=h", "'monday' in the column 't', no date");
}

TEST_CASE("bad column maps are refused in one sentence with the entry") {
  const auto refusal = [](const std::string& text, const std::string& part) {
    const auto map = read_column_map(text);
    REQUIRE(!map.ok());
    CHECK(map.failure().kind == ErrorKind::usage);
    CHECK_MESSAGE(map.error().find(part) != std::string::npos, map.error());
  };
  refusal("nonsense", "entry 'nonsense' is not FIELD=COLUMN");
  refusal("time=t, size=s", "entry 'size=s' has an unknown field; fields are video_time, time");
  refusal("time=t:parsec", "unknown unit; units of this field are s, ms, us, min, 29.97fps");
  refusal("time=f:0fps", "unknown unit");
  refusal("height=h", "names no time");
  CHECK(read_column_map("airdata").ok());
}
