#include "apps/drone/logs/dji_xmp.hpp"

#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

constexpr std::string_view dji_names = "http://www.dji.com/drone-dji/";

struct Property {
  std::string_view name;
  Telemetry::Known Telemetry::*value;
};
// "Longtitude" is DJI's own spelling in older models.
constexpr Property properties[] = {
    {"GpsLatitude", &Telemetry::latitude},           {"GpsLongitude", &Telemetry::longitude},
    {"GpsLongtitude", &Telemetry::longitude},        {"RelativeAltitude", &Telemetry::height},
    {"AbsoluteAltitude", &Telemetry::altitude},      {"GimbalYawDegree", &Telemetry::gimbal_yaw},
    {"GimbalPitchDegree", &Telemetry::gimbal_pitch}, {"GimbalRollDegree", &Telemetry::gimbal_roll},
    {"FlightYawDegree", &Telemetry::body_yaw},       {"FlightPitchDegree", &Telemetry::body_pitch},
    {"FlightRollDegree", &Telemetry::body_roll},
};

// The packet alone: a picture's other bytes are no text.
std::string_view packet_in(std::string_view bytes) {
  const size_t names = bytes.find(dji_names);
  const size_t begin = bytes.rfind("<x:xmpmeta", names), end = bytes.find("</x:xmpmeta>", names);
  if (begin == bytes.npos) return bytes.substr(names);
  return bytes.substr(begin, end == bytes.npos ? bytes.npos : end - begin);
}

// The text of `name`, as an attribute or an element. Empty: the packet has none.
std::string_view property_in(std::string_view packet, const std::string& name) {
  for (size_t at = packet.find(name); at != packet.npos; at = packet.find(name, at + 1)) {
    std::string_view rest = packet.substr(at + name.size());
    const bool is_element = at > 0 && packet[at - 1] == '<';
    if (is_element && rest.starts_with('>')) return rest.substr(1, rest.find('<') - 1);
    rest = trimmed(rest);
    if (is_element || !rest.starts_with('=')) continue;
    rest = trimmed(rest.substr(1));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) continue;
    return rest.substr(1, rest.find(rest.front(), 1) - 1);
  }
  return {};
}

}  // namespace

bool is_dji_xmp(std::string_view bytes) { return bytes.find(dji_names) != bytes.npos; }

Result<Flight> read_dji_xmp(std::string_view bytes, const std::string& name,
                            const LogOptions& options) {
  const std::string_view packet = packet_in(bytes);
  Flight flight{.name = name, .format = LogFormat::dji_xmp, .time = LogTime::video};
  Telemetry sample;
  bool is_known = false;
  for (const Property& property : properties) {
    const auto text = property_in(packet, "drone-dji:" + std::string(property.name));
    if (text.empty()) continue;
    const auto value = number_of(text);
    if (!value)
      return bad_input(in_quotes(name) +
                       " has the property drone-dji:" + std::string(property.name) + " " +
                       in_quotes(text) + ", not a number; correct or remove it");
    sample.*property.value = value;
    is_known = true;
  }
  if (!is_known)
    return bad_input(in_quotes(name) +
                     " names DJI's XMP but has no pose; use the picture as the drone wrote it");
  std::string_view date = property_in(packet, "xmp:CreateDate");
  if (const auto time = take_date_time(date)) {
    sample.clock = time->seconds;
    flight.clock = time->has_zone ? LogClock::utc : LogClock::local;
  }
  flight.samples.push_back(sample);
  return completed(std::move(flight), options.zone_hours);
}

}  // namespace shingle::drone
