// How long messages take in a Wi-Fi cell, by radio mode, kind of cell and senders: a table that was
// measured with ns-3 (tools/wifi-tables made it), and what follows from it for the fluid model.
//
// n stations each send one message at the same time, to their neighbours in a ring, on TCP
// connections that were warmed with 30 kB. A time is a mean over messages and seeds.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "partition/network/air.hpp"

namespace shingle {

inline constexpr std::array<int64_t, 5> wifi_small_bytes{100, 1'000, 3'000, 10'000, 30'000};
inline constexpr std::array<int64_t, 2> wifi_large_bytes{100'000, 1'000'000};

struct WifiTimes {
  // b-RATE, g-RATE (Mb/s) or n-MCS-WIDTH-GUARD (MHz, ns), as docs/develop/network_pipe.md has them.
  std::string_view mode;
  AirKind kind = AirKind::access_point;
  uint32_t senders = 1;
  // Microseconds until a message arrives, by its size; `last` until all n have.
  std::array<int32_t, wifi_small_bytes.size()> small_us{};
  std::array<int32_t, wifi_large_bytes.size()> large_us{}, last_us{};
};

// All rows; those of a mode and a kind together, by ascending senders from 1.
const std::vector<WifiTimes>& wifi_times();
std::vector<std::string_view> wifi_modes();

// n messages of s bytes each have arrived, in the mean, after fixed + n * s / rate: the line
// through the two large sizes. It is below 0 where the longer messages met more collisions.
struct WifiCalibration {
  double fixed_seconds = 0.0, bytes_per_second = 0.0;
};
WifiCalibration calibrate(const WifiTimes& row);

// The calibrations of a mode as air for the fluid model. Through an access point a byte takes the
// air twice, so the air's rate is twice that of the calibration. A fixed time below 0 becomes 0,
// and the rate the one with equal relative errors at both sizes. No value: the table lacks the
// mode.
std::optional<AirTable> air_table(std::string_view mode, AirKind kind);

// Until a message of at most 30 kB arrives while `senders` stations send such messages.
// Interpolated between the sizes of the table; beyond its last row, that row. REQUIRES: the table
// has the mode.
Duration small_message_time(std::string_view mode, AirKind kind, uint32_t senders, int64_t bytes);

}  // namespace shingle
