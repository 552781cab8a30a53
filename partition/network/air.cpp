#include "partition/network/air.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {
namespace {

constexpr double mbps = 125'000.0;  // bytes per second

}  // namespace

// Source: measured with ns-3 3.37, TCP from station to station: 25.2 Mb/s through an access point
// and 50.6 Mb/s direct for one sender, 24 and 42 Mb/s in total for eight. Through the access point
// each byte takes the air twice.
AirTable air_802_11n(AirKind kind) {
  if (kind == AirKind::ad_hoc) return {{1, 50.6 * mbps}, {8, 42.0 * mbps}};
  return {{1, 2 * 25.2 * mbps}, {8, 2 * 24.0 * mbps}};
}

AirRate air_rate(const AirTable& table, uint32_t senders) {
  assert(!table.empty());
  const auto above = std::find_if(table.begin(), table.end(),
                                  [&](const AirRate& entry) { return entry.senders >= senders; });
  if (above == table.end()) return table.back();
  if (above == table.begin() || above->senders == senders) return *above;
  const AirRate& below = *(above - 1);
  const double part = static_cast<double>(senders - below.senders) /
                      static_cast<double>(above->senders - below.senders);
  const auto between = [part](double low, double high) { return low + part * (high - low); };
  return {senders, between(below.bytes_per_second, above->bytes_per_second),
          Duration(static_cast<int64_t>(
              between(in_nanoseconds(below.access), in_nanoseconds(above->access))))};
}

}  // namespace shingle
