// How long 802.11 takes for what it does, by radio mode: preambles, symbols, gaps, answers. All
// from the standard (IEEE 802.11-2016, clauses 10, 15 to 19); nothing here is measured.
#pragma once

#include <optional>
#include <string_view>

#include "partition/network/air.hpp"

namespace shingle {

inline constexpr std::string_view usual_radio_mode = "n-7-20-800";  // that of air_802_11n()

struct RadioTiming {
  AirKind kind = AirKind::access_point;
  Duration slot{}, short_gap{};  // SIFS
  Duration wait{};               // DIFS; with quality of service the AIFS of best effort
  uint32_t least_contention = 15, most_contention = 1023;  // CWmin, CWmax, in slots

  Duration preamble{};  // of a data frame, with what follows its last symbol
  Duration symbol{};
  double bits_per_symbol = 0.0;
  int64_t service_bits = 0;  // scrambler and tail

  int64_t header_bytes = 0;   // around an IP packet: MAC, LLC, checksum, aggregation
  int64_t most_bytes = 0;     // of an aggregate; 0: each packet is a frame of its own
  Duration longest_frame{};   // of an aggregate
  int64_t most_packets = 1;   // of an aggregate: the window of block acknowledgements
  Duration answer_to_one{};   // acknowledgement of a frame, without the gap before it
  Duration answer_to_many{};  // block acknowledgement
  Duration request{};         // for a block acknowledgement that did not come
};

// No value: an unknown mode; docs/develop/network_pipe.md lists them. Ad hoc cells have long slots,
// since their stations do not agree on short ones.
std::optional<RadioTiming> radio_timing(std::string_view mode, AirKind kind);

// Of a frame with so many bytes, headers included, without the answer.
Duration frame_time(const RadioTiming& radio, int64_t bytes);

}  // namespace shingle
