#include "apps/scene/flight/flight_logs.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace shingle {
namespace {

constexpr double degree = CV_PI / 180;
constexpr double local_time_ahead = 2 * 3600.0;

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

double within_half_turn(double degrees) { return std::remainder(degrees, 360.0); }

std::string cue_time(double seconds) {
  const auto all = static_cast<long long>(std::llround(seconds * 1000.0));
  char text[32];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld,%03lld", all / 3'600'000,
                all / 60'000 % 60, all / 1000 % 60, all % 1000);
  return text;
}

std::string date_time(double seconds) {
  const auto all = static_cast<long long>(std::llround(seconds * 1000.0));
  const auto whole = static_cast<std::time_t>(all / 1000);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  char date[32], text[64];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%03lld", date, all % 1000);
  return text;
}

// One local set. Lengths below 128 take one byte.
class LocalSet {
 public:
  void add(uint8_t tag, uint64_t value, size_t bytes) {
    put(tag);
    put(static_cast<uint8_t>(bytes));
    for (size_t i = bytes; i-- > 0;) put(static_cast<uint8_t>(value >> (8 * i)));
  }
  // From least to least + range, over all values of so many bytes.
  void add_unsigned(uint8_t tag, double value, double least, double range, size_t bytes) {
    const double largest = std::ldexp(1.0, static_cast<int>(8 * bytes)) - 1;
    const double share = std::min(1.0, std::max(0.0, (value - least) / range));
    add(tag, static_cast<uint64_t>(std::llround(share * largest)), bytes);
  }
  // From -range to range; the least value is left out by the standard.
  void add_signed(uint8_t tag, double value, double range, size_t bytes) {
    const double largest = std::ldexp(1.0, static_cast<int>(8 * bytes) - 1) - 1;
    const auto scaled = static_cast<int64_t>(std::llround(value / range * largest));
    add(tag, static_cast<uint64_t>(scaled), bytes);
  }

  // With key, length and checksum (ST 0601: the sum of 16-bit words up to the checksum's value).
  std::vector<std::byte> packet() && {
    constexpr std::array<uint8_t, 16> key{0x06, 0x0E, 0x2B, 0x34, 0x02, 0x0B, 0x01, 0x01,
                                          0x0E, 0x01, 0x03, 0x01, 0x01, 0x00, 0x00, 0x00};
    put(1), put(2);  // the checksum's tag and length
    std::vector<std::byte> whole;
    for (const uint8_t each : key) whole.push_back(std::byte{each});
    whole.push_back(std::byte{0x81});
    whole.push_back(static_cast<std::byte>(bytes_.size() + 2));
    whole.insert(whole.end(), bytes_.begin(), bytes_.end());
    uint32_t sum = 0;
    for (size_t i = 0; i < whole.size(); ++i)
      sum += std::to_integer<uint32_t>(whole[i]) << (i % 2 == 0 ? 8 : 0);
    whole.push_back(static_cast<std::byte>(sum >> 8 & 0xFF));
    whole.push_back(static_cast<std::byte>(sum & 0xFF));
    return whole;
  }

 private:
  void put(uint8_t value) { bytes_.push_back(std::byte{value}); }
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> packet_of(const LoggedFrame& frame) {
  LocalSet set;
  const double heading = frame.yaw < 0 ? frame.yaw + 360 : frame.yaw;
  set.add(2, static_cast<uint64_t>(std::llround(frame.utc_seconds * 1e6)), 8);
  set.add_unsigned(5, heading, 0, 360, 2);
  set.add_signed(6, 0, 20, 2);
  set.add_signed(7, 0, 50, 2);
  set.add_signed(13, frame.latitude, 90, 4);
  set.add_signed(14, frame.longitude, 180, 4);
  set.add_unsigned(15, frame.altitude, -900, 19900, 2);
  set.add_unsigned(16, frame.horizontal_view, 0, 180, 2);
  set.add_unsigned(17, frame.vertical_view, 0, 180, 2);
  set.add_unsigned(18, 0, 0, 360, 4);
  set.add_signed(19, frame.pitch, 180, 4);
  set.add_unsigned(20, 0, 0, 360, 4);
  set.add_unsigned(21, frame.slant_range, 0, 5e6, 4);
  set.add_signed(23, frame.centre_latitude, 90, 4);
  set.add_signed(24, frame.centre_longitude, 180, 4);
  set.add_unsigned(25, frame.altitude - frame.height, -900, 19900, 2);
  set.add(65, 8, 1);  // the standard's edition
  return std::move(set).packet();
}

}  // namespace

LoggedFrame logged_frame(const SceneFlight& flight, const WorldPlace& place, uint32_t frame) {
  const auto earth = drone::LocalFrame::at(place.origin);
  assert(earth.ok());
  const drone::Camera& camera = flight.camera();
  const double seconds = frame / flight.options().frames_per_second;
  const Eigen::Vector3d position = flight.position_at(seconds);
  const drone::Attitude look = flight.look_at(seconds);
  const drone::GeoPoint at = earth->to_wgs84(position);
  const auto centre =
      drone::ground_point(camera, flight.pose_at(seconds), {camera.centre_x, camera.centre_y});
  assert(centre.ok());
  const Eigen::Vector3d seen(centre->x(), centre->y(), 0.0);
  const drone::GeoPoint centre_at = earth->to_wgs84(seen);
  return {.number = frame,
          .seconds = seconds,
          .utc_seconds = place.utc_seconds + seconds,
          .latitude = at.latitude,
          .longitude = at.longitude,
          .height = position.z(),
          .altitude = place.origin.height + position.z(),
          .yaw = within_half_turn(look.yaw / degree),
          .pitch = look.pitch / degree,
          .focal_mm = flight.options().focal_mm,
          .horizontal_view = 2 * std::atan(camera.width / 2 / camera.focal_x) / degree,
          .vertical_view = 2 * std::atan(camera.height / 2 / camera.focal_y) / degree,
          .centre_latitude = centre_at.latitude,
          .centre_longitude = centre_at.longitude,
          .slant_range = (seen - position).norm()};
}

std::string dji_srt(const std::vector<LoggedFrame>& frames, double frames_per_second) {
  std::string all;
  for (const LoggedFrame& frame : frames) {
    char text[512];
    const double height = rounded(frame.height, 0.1);
    const double ground = rounded(frame.altitude - frame.height, 0.001);
    std::snprintf(
        text, sizeof text,
        "%u\n%s --> %s\n<font size=\"28\">FrameCnt: %u, DiffTime: %lldms\n%s\n"
        "[iso: 100] [shutter: 1/1000.0] [fnum: 2.8] [ev: 0] [color_md: default] "
        "[focal_len: %.2f] [latitude: %.6f] [longitude: %.6f] [rel_alt: %.3f abs_alt: %.3f] "
        "[gb_yaw: %.1f gb_pitch: %.1f gb_roll: 0.0] </font>\n\n",
        frame.number + 1, cue_time(frame.seconds).c_str(),
        cue_time(frame.seconds + 1.0 / frames_per_second).c_str(), frame.number + 1,
        std::llround(1000.0 / frames_per_second),
        date_time(frame.utc_seconds + local_time_ahead).c_str(), frame.focal_mm, frame.latitude,
        frame.longitude, height, ground + height, frame.yaw, frame.pitch);
    all += text;
  }
  return all;
}

std::vector<std::byte> misb_klv(const std::vector<LoggedFrame>& frames) {
  std::vector<std::byte> all;
  for (const LoggedFrame& frame : frames) {
    const std::vector<std::byte> packet = packet_of(frame);
    all.insert(all.end(), packet.begin(), packet.end());
  }
  return all;
}

}  // namespace shingle
