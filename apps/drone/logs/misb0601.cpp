#include "apps/drone/logs/misb0601.hpp"

#include <algorithm>
#include <cmath>

#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

// Whole numbers of `bytes` bytes. Signed ones span -range to range, and their least value says
// "unknown or out of range"; unsigned ones span least to least + range.
struct Tag {
  uint32_t tag;
  size_t bytes;
  bool is_signed;
  double least, range;
  Telemetry::Known Telemetry::*value;
};
constexpr Tag tags[] = {
    {5, 2, false, 0, 360, &Telemetry::body_yaw},
    {6, 2, true, 0, 20, &Telemetry::body_pitch},
    {7, 2, true, 0, 50, &Telemetry::body_roll},
    {13, 4, true, 0, 90, &Telemetry::latitude},
    {14, 4, true, 0, 180, &Telemetry::longitude},
    {15, 2, false, -900, 19900, &Telemetry::altitude},
    {16, 2, false, 0, 180, &Telemetry::horizontal_view},
    {17, 2, false, 0, 180, &Telemetry::vertical_view},
    {18, 4, false, 0, 360, &Telemetry::relative_yaw},
    {19, 4, true, 0, 180, &Telemetry::relative_pitch},
    {20, 4, false, 0, 360, &Telemetry::relative_roll},
    {21, 4, false, 0, 5e6, &Telemetry::slant_range},
    {23, 4, true, 0, 90, &Telemetry::centre_latitude},
    {24, 4, true, 0, 180, &Telemetry::centre_longitude},
    {25, 2, false, -900, 19900, &Telemetry::centre_altitude},
    {90, 4, true, 0, 90, &Telemetry::body_pitch},
    {91, 4, true, 0, 90, &Telemetry::body_roll},
};

std::optional<double> scaled(Bytes value, const Tag& tag) {
  const double largest = std::ldexp(1.0, static_cast<int>(8 * tag.bytes)) - 1.0;  // 2^n - 1
  if (!tag.is_signed)
    return tag.least + static_cast<double>(unsigned_of(value)) * (tag.range / largest);
  const auto number = static_cast<double>(signed_of(value));
  const double largest_signed = (largest - 1.0) / 2.0;  // 2^(n-1) - 1
  if (number < -largest_signed) return std::nullopt;
  return number * (tag.range / largest_signed);
}

// None: the packet has no time.
std::optional<Telemetry> sample_of(const KlvPacket& packet) {
  Telemetry sample;
  for (const KlvItem& item : packet.items) {
    if (item.tag == 2 && item.value.size() == 8)
      sample.clock = static_cast<double>(unsigned_of(item.value)) * 1e-6;
    for (const Tag& tag : tags)
      if (tag.tag == item.tag && tag.bytes == item.value.size())
        if (const auto value = scaled(item.value, tag)) sample.*tag.value = value;
  }
  if (!sample.clock) return std::nullopt;
  return sample;
}

struct Counts {
  size_t packets = 0, damaged = 0, timeless = 0;
};

void read_payload(const KlvPayload& payload, Flight& flight, Counts& counts) {
  const auto bytes = klv_of_payload(payload.payload);
  size_t at = 0;
  while (const auto packet = next_packet(bytes, at)) {
    ++counts.packets;
    auto sample = packet->is_intact ? sample_of(*packet) : std::nullopt;
    if (!sample) {
      ++(packet->is_intact ? counts.timeless : counts.damaged);
      continue;
    }
    sample->line = counts.packets;
    sample->seconds = payload.seconds.value_or(0.0);
    flight.samples.push_back(*sample);
  }
}

}  // namespace

bool is_klv(std::string_view bytes) {
  return has_uas_key(std::as_bytes(std::span(bytes.substr(0, 4096))));
}

Result<Flight> read_klv_log(std::span<const KlvPayload> payloads, const std::string& name) {
  Flight flight{.name = name, .format = LogFormat::misb_klv, .clock = LogClock::utc};
  if (std::all_of(payloads.begin(), payloads.end(),
                  [](const KlvPayload& payload) { return payload.seconds.has_value(); }))
    flight.time = LogTime::video;
  Counts counts;
  for (const KlvPayload& payload : payloads) read_payload(payload, flight, counts);
  if (flight.samples.empty())
    return bad_input(in_quotes(name) +
                     " has no packet of MISB ST 0601 with a right checksum and a time (of " +
                     std::to_string(counts.packets) + "); use a stream that is intact");
  if (counts.damaged > 0)
    flight.notes.push_back("packets that are damaged or have a wrong checksum, left out: " +
                           std::to_string(counts.damaged) + " of " +
                           std::to_string(counts.packets));
  if (counts.timeless > 0)
    flight.notes.push_back("packets without a time, left out: " + std::to_string(counts.timeless));
  return completed(std::move(flight), std::nullopt);
}

}  // namespace shingle::drone
