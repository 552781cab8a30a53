// MISB ST 0601: a real stream against its decoded rows, and packets that are wrong.
#include "apps/drone/logs/misb0601.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "apps/drone/verbs/flight_file.hpp"
#include "apps/vision/media/side_tracks.hpp"
#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

const std::string uas_key("\x06\x0E\x2B\x34\x02\x0B\x01\x01\x0E\x01\x03\x01\x01\x00\x00\x00", 16);

std::string big_endian(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t at = bytes; at-- > 0;) text += static_cast<char>(value >> (8 * at));
  return text;
}

std::string item(unsigned tag, const std::string& value) {
  return big_endian(tag, 1) + big_endian(value.size(), 1) + value;
}

// With a right checksum.
std::string packet(const std::string& items) {
  std::string text = uas_key + big_endian(items.size() + 4, 1) + items + "\x01\x02";
  uint32_t sum = 0;
  for (size_t at = 0; at < text.size(); ++at)
    sum += static_cast<uint32_t>(static_cast<unsigned char>(text[at])) << (at % 2 == 0 ? 8 : 0);
  return text + big_endian(sum & 0xFFFF, 2);
}

std::string packet_at(uint64_t microseconds, const std::string& items = "") {
  return packet(item(2, big_endian(microseconds, 8)) + items);
}

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::vector<std::vector<double>> rows_of(const std::string& path) {
  std::istringstream lines(contents(path));
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');)
      rows.back().push_back(std::stod(field));
  }
  return rows;
}

}  // namespace

TEST_CASE("a real stream gives the rows that another decoder gave, to their last digit") {
  const auto folder = shared_data("misb");
  if (!folder) return;
  const auto read = read_flight_file(*folder + "/sample-stream.ts");
  REQUIRE_MESSAGE(read.ok(), read.error());
  const Flight& flight = *read;
  const auto rows = rows_of(*folder + "/misb0601_expected.csv");
  REQUIRE(flight.samples.size() == rows.size());
  CHECK(flight.notes.empty());
  CHECK(flight.time == LogTime::video);
  CHECK(flight.clock == LogClock::utc);
  CHECK(flight.samples[0].seconds == 0.0);  // with the first picture
  CHECK(flight.end_seconds == doctest::Approx(9.2).epsilon(1e-6));
  using T = Telemetry;
  constexpr std::optional<double> T::*columns[] = {
      &T::latitude,         &T::longitude,      &T::altitude,     &T::body_yaw,
      &T::body_pitch,       &T::body_roll,      &T::relative_yaw, &T::relative_pitch,
      &T::horizontal_view,  &T::vertical_view,  &T::slant_range,  &T::centre_latitude,
      &T::centre_longitude, &T::centre_altitude};
  constexpr double half_digit[] = {5e-10, 5e-10, 5e-4, 5e-5, 5e-5,  5e-5,  5e-6,
                                   5e-6,  5e-5,  5e-5, 5e-4, 5e-10, 5e-10, 5e-4};
  for (size_t at = 0; at < rows.size(); ++at) {
    CHECK(std::llround(*flight.samples[at].clock * 1e6) == static_cast<long long>(rows[at][0]));
    for (size_t column = 0; column < std::size(columns); ++column) {
      const auto value = flight.samples[at].*columns[column];
      REQUIRE(value.has_value());
      CHECK(std::abs(*value - rows[at][column + 1]) <= 1.02 * half_digit[column]);
    }
  }
}

TEST_CASE("KLV as bytes is recognised, and a stream that breaks off is read as far as it goes") {
  const auto folder = shared_data("misb");
  if (!folder) return;
  const auto tracks = read_side_tracks(*folder + "/sample-stream.ts");
  REQUIRE_MESSAGE(tracks.ok(), tracks.error());
  std::string bytes;
  for (const SidePacket& each : tracks->klv)
    for (const std::byte byte : each.bytes) bytes += static_cast<char>(byte);
  const Flight whole = flight_of(bytes);
  CHECK(whole.samples.size() == 277);
  CHECK(whole.time == LogTime::clock);
  CHECK(whole.end_seconds == doctest::Approx(9.2));
  const Flight cut = flight_of(bytes.substr(0, bytes.size() - 10));
  CHECK(cut.samples.size() == 276);
  REQUIRE(cut.notes.size() == 1);
  CHECK(cut.notes[0] == "packets that are damaged or have a wrong checksum, left out: 1 of 277");
  std::string damaged = bytes;
  damaged[100] = static_cast<char>(damaged[100] ^ 4);  // in the first packet
  CHECK(flight_of(damaged).samples.size() == 276);
  damaged[16] = '\x7F';  // its length: nothing behind it may be lost
  CHECK(flight_of(damaged).samples.size() == 276);
}

TEST_CASE("values are scaled as the standard's own examples are") {
  // ST 0601.16, "Example Value" of each item: 0x71C2 is 159.974 degrees, and so on.
  const Flight flight = flight_of(
      packet_at(1224807209913000, item(5, "\x71\xC2") + item(6, "\xFD\x3D") + item(7, "\x08\xB8") +
                                      item(13, "\x55\x95\xB6\x6D") + item(14, "\x5B\x53\x60\xC4") +
                                      item(15, "\xC2\x21") + item(16, "\xCD\x9C") +
                                      item(17, "\xD9\x17") + item(18, "\x72\x4A\x0A\x20") +
                                      item(19, "\x87\xF8\x4B\x86") + item(20, "\x7D\xC5\x5E\xCE") +
                                      item(21, "\x03\x83\x09\x26") + item(23, "\xF1\x01\xA2\x29") +
                                      item(24, "\x14\xBC\x08\x2B") + item(25, "\x34\xF3")));
  const Telemetry& sample = flight.samples.at(0);
  CHECK(sample.clock == doctest::Approx(1224807209.913));
  CHECK(*sample.body_yaw == doctest::Approx(159.974).epsilon(1e-5));
  CHECK(*sample.body_pitch == doctest::Approx(-0.431531).epsilon(1e-5));
  CHECK(*sample.body_roll == doctest::Approx(3.40587).epsilon(1e-5));
  CHECK(*sample.latitude == doctest::Approx(60.1768229669783).epsilon(1e-9));
  CHECK(*sample.longitude == doctest::Approx(128.426759042045).epsilon(1e-9));
  CHECK(*sample.altitude == doctest::Approx(14190.7).epsilon(1e-5));
  CHECK(*sample.horizontal_view == doctest::Approx(144.571).epsilon(1e-5));
  CHECK(*sample.vertical_view == doctest::Approx(152.644).epsilon(1e-5));
  CHECK(*sample.relative_yaw == doctest::Approx(160.719211474396).epsilon(1e-9));
  CHECK(*sample.relative_pitch == doctest::Approx(-168.792324833941).epsilon(1e-9));
  CHECK(*sample.relative_roll == doctest::Approx(176.865437690572).epsilon(1e-9));
  CHECK(*sample.slant_range == doctest::Approx(68590.9832987387).epsilon(1e-9));
  CHECK(*sample.centre_latitude == doctest::Approx(-10.5423886331461).epsilon(1e-9));
  CHECK(*sample.centre_longitude == doctest::Approx(29.157890122923).epsilon(1e-9));
  CHECK(*sample.centre_altitude == doctest::Approx(3216.04).epsilon(1e-5));
}

TEST_CASE("full-range attitude counts more, and the standard's error value is unknown") {
  const Flight flight = flight_of(packet_at(1, item(6, std::string("\x80\x00", 2)) +
                                                   item(90, std::string("\x40\x00\x00\x00", 4)) +
                                                   item(19, std::string("\x80\x00\x00\x00", 4)) +
                                                   item(15, std::string("\xC2\x21\x00", 3))));
  CHECK(*flight.samples[0].body_pitch == doctest::Approx(45.0));
  CHECK(!flight.samples[0].relative_pitch.has_value());
  CHECK(!flight.samples[0].altitude.has_value());  // three bytes are no altitude
}

TEST_CASE("a synchronous payload's cells are put together, and payloads carry the video's time") {
  const std::string first = packet_at(1000000, item(5, "\x71\xC2")), second = packet_at(1033333);
  const auto cell = [](const std::string& data) {
    return std::string("\x00\x01\xD0", 3) + big_endian(data.size(), 2) + data;
  };
  const std::string in_one = cell(first);
  const std::string in_two = cell(second.substr(0, 20)) + cell(second.substr(20));
  const KlvPayload payloads[] = {{bytes_of(in_one), 0.5}, {bytes_of(in_two), 0.533}};
  const auto flight = read_klv_log(payloads, "clip");
  REQUIRE_MESSAGE(flight.ok(), flight.error());
  REQUIRE(flight->samples.size() == 2);
  CHECK(flight->samples[1].seconds == 0.533);
  CHECK(flight->samples[0].body_yaw.has_value());
}

TEST_CASE("KLV without a right packet is refused, one without times too") {
  std::string wrong = packet_at(1000000);
  wrong.back() = static_cast<char>(wrong.back() + 1);
  check_sentence(read_flight(wrong, "a.klv"),
                 "'a.klv' has no packet of MISB ST 0601 with a right checksum and a time (of 1)");
  check_sentence(read_flight(packet(item(5, "\x71\xC2")), "a.klv"),
                 "with a right checksum and a time (of 1)");
  check_sentence(read_flight(packet_at(2000000) + packet_at(1000000), "a.klv"),
                 "'a.klv' packet 2 goes back in time by 1 s");
}
