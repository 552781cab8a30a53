// The air of a Wi-Fi cell: one resource for all its stations. What it carries depends on the radio
// mode and on how many stations contend for it.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle {

// TCP payload that the air carries in total, measured with the given number of sending stations. A
// message from station to station through an access point crosses the air twice.
struct AirRate {
  uint32_t senders = 1;
  double bytes_per_second = 0.0;
  Duration access{};  // until a message that finds the air free has its first chance to be sent
};

// Ascending numbers of senders. Between two of them the rate is interpolated, beyond the last one
// it stays.
using AirTable = std::vector<AirRate>;

enum class AirKind : uint8_t { access_point, ad_hoc };

// 802.11n, one stream in 20 MHz (MCS 7), measured with ns-3 3.37.
AirTable air_802_11n(AirKind kind);

// REQUIRES: the table is not empty. No sender counts as one.
AirRate air_rate(const AirTable& table, uint32_t senders);

}  // namespace shingle
