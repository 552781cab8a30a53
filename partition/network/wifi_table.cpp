#include "partition/network/wifi_table.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {
namespace {

AirRate air_rate_of(const WifiTimes& row) {
  WifiCalibration found = calibrate(row);
  if (found.fixed_seconds < 0) {
    double seconds_per_byte = 0;
    for (size_t i = 0; i < wifi_large_bytes.size(); ++i)
      seconds_per_byte += row.large_us[i] * 1e-6 /
                          static_cast<double>(row.senders * wifi_large_bytes[i]) /
                          wifi_large_bytes.size();
    found = {.fixed_seconds = 0, .bytes_per_second = 1 / seconds_per_byte};
  }
  const double crossings = row.kind == AirKind::access_point ? 2 : 1;
  return {.senders = row.senders,
          .bytes_per_second = crossings * found.bytes_per_second,
          .access = Duration(static_cast<int64_t>(found.fixed_seconds * 1e9))};
}

}  // namespace

WifiCalibration calibrate(const WifiTimes& row) {
  const double bytes =
      static_cast<double>(row.senders * (wifi_large_bytes[1] - wifi_large_bytes[0]));
  const double rate = bytes / (1e-6 * (row.large_us[1] - row.large_us[0]));
  return {.fixed_seconds = row.large_us[0] * 1e-6 -
                           static_cast<double>(row.senders * wifi_large_bytes[0]) / rate,
          .bytes_per_second = rate};
}

std::vector<std::string_view> wifi_modes() {
  std::vector<std::string_view> modes;
  for (const WifiTimes& row : wifi_times())
    if (modes.empty() || modes.back() != row.mode) modes.push_back(row.mode);
  return modes;
}

std::optional<AirTable> air_table(std::string_view mode, AirKind kind) {
  AirTable table;
  for (const WifiTimes& row : wifi_times())
    if (row.mode == mode && row.kind == kind) table.push_back(air_rate_of(row));
  if (table.empty()) return std::nullopt;
  return table;
}

Duration small_message_time(std::string_view mode, AirKind kind, uint32_t senders, int64_t bytes) {
  assert(bytes > 0 && bytes <= wifi_small_bytes.back());
  const WifiTimes* row = nullptr;
  for (const WifiTimes& each : wifi_times())
    if (each.mode == mode && each.kind == kind && (row == nullptr || each.senders <= senders))
      row = &each;
  assert(row != nullptr);
  size_t above = 0;
  while (wifi_small_bytes[above] < bytes) ++above;
  if (above == 0) return std::chrono::microseconds(row->small_us[0]);
  const double part = static_cast<double>(bytes - wifi_small_bytes[above - 1]) /
                      static_cast<double>(wifi_small_bytes[above] - wifi_small_bytes[above - 1]);
  const double us =
      row->small_us[above - 1] + part * (row->small_us[above] - row->small_us[above - 1]);
  return Duration(static_cast<int64_t>(us * 1e3));
}

}  // namespace shingle
