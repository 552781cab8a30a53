// MISB ST 0601, the UAS datalink local set: KLV packets beside the pictures of a video.
// Read are the time (2), the platform's attitude (5-7; 90, 91 in full range), the sensor's position
// (13-15), fields of view (16, 17), angles relative to the platform (18-20), slant range (21) and
// frame centre (23-25), each scaled as the standard has it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apps/drone/logs/flight.hpp"
#include "apps/drone/logs/klv.hpp"

namespace shingle::drone {

// What one packet of the transport carries: KLV, in access unit cells or not.
struct KlvPayload {
  Bytes payload{};
  std::optional<double> seconds{};  // when its picture is shown, of the video
};

bool is_klv(std::string_view bytes);  // a packet's key stands in the first 4096

// Packets with a wrong checksum, without a time, or broken off are left out and counted; it is an
// error if no packet is right. The clock is UTC. The samples have the video's time if all
// payloads have; without it they are ordered by their clock.
Result<Flight> read_klv_log(std::span<const KlvPayload> payloads, const std::string& name);

}  // namespace shingle::drone
