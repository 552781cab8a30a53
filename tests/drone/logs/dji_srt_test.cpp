// DJI's subtitles: the six dialects of the shared files, the figures that DJI_SRT_Parser publishes
// for two of them, and what is wrong with broken ones.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double degree = std::numbers::pi / 180.0;

double haversine(const Telemetry& from, const Telemetry& to) {
  const double north = (*to.latitude - *from.latitude) * degree;
  const double east = (*to.longitude - *from.longitude) * degree;
  const double chord = std::pow(std::sin(north / 2), 2) + std::cos(*from.latitude * degree) *
                                                              std::cos(*to.latitude * degree) *
                                                              std::pow(std::sin(east / 2), 2);
  return 2.0 * 6378137.0 * std::asin(std::sqrt(chord));
}

// DJI_SRT_Parser averages eight rows, from four before to three after, the ends repeated.
std::vector<Telemetry> smoothed(const std::vector<Telemetry>& samples) {
  std::vector<Telemetry> result = samples;
  const auto last = static_cast<int>(samples.size()) - 1;
  for (int at = 0; at <= last; ++at)
    for (const auto value : {&Telemetry::latitude, &Telemetry::longitude, &Telemetry::height}) {
      if (!(samples.front().*value)) continue;
      double sum = 0.0;
      for (int near = at - 4; near < at + 4; ++near)
        sum += *(samples[static_cast<size_t>(std::clamp(near, 0, last))].*value);
      result[static_cast<size_t>(at)].*value = sum / 8.0;
    }
  return result;
}

struct PublishedFigures {
  double distance = 0.0, mean_speed = 0.0, highest = -1e9;  // m, km/h, m
};
// Speeds are by the clock; a row that is stamped a second late, at the time of the next, counts as
// if it were not. The mean is over all rows, and the first stands.
PublishedFigures figures_of(const Flight& flight) {
  const auto rows = smoothed(flight.samples);
  PublishedFigures figures;
  for (size_t at = 0; at < rows.size(); ++at) {
    figures.highest = std::max(figures.highest, rows[at].height.value_or(-1e9));
    if (at == 0) continue;
    const double climb = rows[at].height.value_or(0.0) - rows[at - 1].height.value_or(0.0);
    const double step = std::hypot(haversine(rows[at - 1], rows[at]), climb);
    const double seconds = *rows[at].clock - *rows[at - 1].clock;
    const bool is_late = at + 1 < rows.size() && rows[at + 1].clock == rows[at].clock;
    figures.distance += step;
    figures.mean_speed += 3.6 * step / (is_late || seconds < 0.5 ? 1.0 : seconds);
  }
  figures.mean_speed /= static_cast<double>(rows.size());
  return figures;
}

std::string cue(int number, const std::string& text) {
  const std::string second = std::to_string(number), next = std::to_string(number + 1);
  return second + "\n00:00:0" + second + ",000 --> 00:00:0" + next + ",000\n" + text + "\n\n";
}

}  // namespace

TEST_CASE("Mavic Pro's subtitles give the published distance, height, duration and home") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight flight = flight_in(*folder + "/mavic_pro.SRT");
  REQUIRE(flight.samples.size() == 468);
  CHECK(flight.format == LogFormat::dji_srt);
  CHECK(flight.time == LogTime::video);
  CHECK(flight.clock == LogClock::local);
  CHECK(flight.samples.front().seconds == 1.0);
  CHECK(flight.end_seconds - flight.samples.front().seconds == 468.0);
  CHECK(*flight.samples.back().clock - *flight.samples.front().clock == 468.0);
  CHECK(flight.samples.front().home_latitude == -20.2532);
  CHECK(flight.samples.front().home_longitude == 149.0251);
  const PublishedFigures figures = figures_of(flight);
  CHECK(figures.distance == doctest::Approx(2804.6421264700957).epsilon(1e-9));
  CHECK(figures.mean_speed == doctest::Approx(21.56914922116961).epsilon(1e-6));
  CHECK(figures.highest == doctest::Approx(118.65));
}

TEST_CASE("Mavic 2's subtitles have no times but a clock, and give the published speed") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight flight = flight_in(*folder + "/mavic_2_style.SRT");
  REQUIRE(flight.samples.size() == 468);
  CHECK(flight.time == LogTime::clock);
  CHECK(flight.samples.front().clock == doctest::Approx(1501942311.393525).epsilon(1e-14));
  CHECK(!flight.samples.front().height.has_value());
  CHECK(figures_of(flight).mean_speed == doctest::Approx(19.531079073870547).epsilon(1e-6));
  for (size_t at = 1; at < flight.samples.size(); ++at) {
    const double step = flight.samples[at].seconds - flight.samples[at - 1].seconds;
    CHECK((step == doctest::Approx(1.0) || step == doctest::Approx(2.0)));
  }
  REQUIRE(flight.notes.size() == 1);
  CHECK(flight.notes[0] ==
        "samples with the time of the one before, placed evenly between their neighbours: 5");
}

TEST_CASE("an Air 2S writes tenths of millimetres and a picture's clock") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight flight = flight_in(*folder + "/air2s.srt");
  REQUIRE(flight.samples.size() == 17);
  CHECK(flight.samples[1].seconds == doctest::Approx(0.033));
  CHECK(flight.samples[0].latitude == 41.424724);
  CHECK(flight.samples[0].longitude == 2.234156);
  CHECK(flight.samples[0].altitude == 117.0);
  CHECK(!flight.samples[0].height.has_value());
  CHECK(flight.samples[0].focal_35mm == 24.0);
  CHECK(*flight.samples[1].clock - *flight.samples[0].clock == doctest::Approx(0.033356));
}

TEST_CASE("a Phantom 4 RTK writes longitude first, and pitch, roll and yaw of body and gimbal") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight flight = flight_in(*folder + "/p4_rtk.SRT");
  REQUIRE(flight.samples.size() == 55);
  CHECK(flight.clock == LogClock::none);
  const Telemetry& first = flight.samples.front();
  CHECK(first.latitude == -34.237922);
  CHECK(first.longitude == -58.851745);
  CHECK(first.home_latitude == -34.232707);
  CHECK(first.height == 85.8);
  CHECK(!first.altitude.has_value());  // 15 are satellites
  CHECK(first.gimbal_pitch == -24.4);
  CHECK(first.gimbal_roll == 0.0);
  CHECK(first.gimbal_yaw == 110.4);
  CHECK(first.body_pitch == 2.7);
  CHECK(first.body_roll == -7.0);
  CHECK(first.body_yaw == 110.1);
}

TEST_CASE("a Mavic Mini writes longitude first, a Matrice 300 latitude and an altitude that is 0") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight mini = flight_in(*folder + "/mavic_mini.SRT");
  REQUIRE(mini.samples.size() == 117);
  CHECK(mini.samples.front().latitude == 48.0771);
  CHECK(mini.samples.front().longitude == -121.7458);
  CHECK(mini.samples.front().height == 200.7);
  const Flight matrice = flight_in(*folder + "/matrice_300.srt");
  REQUIRE(matrice.samples.size() == 381);
  CHECK(matrice.samples.front().latitude == 36.6146);
  CHECK(matrice.samples.front().longitude == -6.112);
  CHECK(matrice.samples[4].height == 4.1);
  CHECK(!matrice.samples.front().altitude.has_value());
  CHECK(matrice.notes.size() == 1);
}

TEST_CASE("a file that breaks off is read to its last whole cue, an empty one is refused") {
  const auto folder = shared_data("flightlogs/dji-srt");
  if (!folder) return;
  const Flight flight = flight_in(*folder + "/broken_incomplete.SRT");
  CHECK(flight.samples.size() == 19);
  CHECK(flight.samples.back().height == 7.7);
  CHECK(flight.end_seconds == 20.0);
  REQUIRE(flight.notes.size() == 1);
  CHECK(flight.notes[0] == "the file breaks off in the cue of line 115; that cue is left out");
  const std::string empty = *folder + "/broken_empty.SRT";
  check_sentence(read_flight(contents(empty), empty), "broken_empty.SRT' is empty");
}

TEST_CASE("later models write two heights in one bracket, gimbal angles and a digital zoom") {
  const Flight flight = flight_of(
      cue(1,
          "<font size=\"28\">FrameCnt: 1, DiffTime: 33ms\n2024-01-18 10:23:26.397\n"
          "[iso: 150] [fnum: 1.7] [focal_len: 24.00] [dzoom_ratio: 2.00], [latitude: -22.724555] "
          "[longitude: -47.602414] [rel_alt: 60.300 abs_alt: 549.679] "
          "[gb_yaw: -77.4 gb_pitch: -89.9 gb_roll: 0.0] </font>") +
      cue(2,
          "2024-01-18 10:23:27.397\n[fnum : 280] [focal_len : 240] [dzoom_ratio: 10000, delta:0],"
          "[latitude: 0.000000] [longitude: 0.000000] [rel_alt: -0.3 abs_alt: 549.679]"
          "[gb_yaw: -77.4 gb_pitch: -89.9 gb_roll: 0.0]"));
  REQUIRE(flight.samples.size() == 2);
  const Telemetry &first = flight.samples[0], &second = flight.samples[1];
  CHECK(first.height == 60.3);
  CHECK(first.altitude == 549.679);
  CHECK(first.gimbal_yaw == -77.4);
  CHECK(first.gimbal_pitch == -89.9);
  CHECK(first.focal_35mm == 48.0);  // half the view
  CHECK(second.focal_35mm == 24.0);
  CHECK(second.height == -0.3);
  CHECK(!second.latitude.has_value());  // 0, 0: no position yet
  CHECK(!second.longitude.has_value());
}

TEST_CASE("a zone makes UTC of local time, and an unknown value stays unknown") {
  const std::string text = cue(1, "2022.06.21 16:06:17\nGPS(n/a, n/a, n/a) BAROMETER:0.3M");
  const Flight local = flight_of(text), utc = flight_of(text, {.columns = {}, .zone_hours = 2.0});
  CHECK(local.clock == LogClock::local);
  CHECK(utc.clock == LogClock::utc);
  CHECK(*local.samples[0].clock - *utc.samples[0].clock == 7200.0);
  CHECK(!local.samples[0].latitude.has_value());
  CHECK(local.samples[0].height == 0.3);
}

TEST_CASE("bad subtitles are refused in one sentence with the line") {
  const std::string good = cue(1, "GPS(2.0,41.0,16) BAROMETER:1.9");
  const auto refusal = [&](const std::string& text, const std::string& part) {
    check_sentence(read_flight(text, "a.SRT"), part);
  };
  refusal(good + "2\n00:00:xx --> 00:00:03,000\nBAROMETER:2\n", "'a.SRT' line 6 has the times");
  refusal(cue(1, "Hello") + cue(2, "there"), "subtitles without telemetry");
  refusal(good + "2\n2017-08-05 14:11:51\nBAROMETER:2\n", "line 5 begins a cue without a time");
  refusal(cue(2, "BAROMETER:2") + cue(1, "BAROMETER:2"), "line 5 goes back in time by 1 s");
  refusal(cue(1, "GPS(2.0,141.0,16) BAROMETER:2"),
          "line 1 has the latitude 141 deg, which is impossible");
}
