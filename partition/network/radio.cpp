#include "partition/network/radio.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace shingle {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr int64_t mac_bytes = 24 + 4, llc_bytes = 8;  // with the checksum
constexpr int64_t quality_bytes = 2, delimiter_bytes = 4;
constexpr int64_t answer_bytes = 14, block_answer_bytes = 32, request_bytes = 24;
constexpr Duration long_slot = microseconds(20), short_slot = microseconds(9);
constexpr Duration gap = microseconds(10);
constexpr Duration signal_extension = microseconds(6);  // in the 2.4 GHz band (18.3.2.4)
constexpr Duration legacy_preamble = microseconds(20);
constexpr Duration dsss_preamble = microseconds(192);  // long
constexpr int64_t ofdm_service_bits = 16 + 6;
constexpr double data_bits_24 = 96.0;  // of a legacy symbol at 24 Mb/s, the fastest basic rate

std::optional<uint32_t> number(std::string_view word) {
  uint32_t value = 0;
  const auto end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

bool is_one_of(const std::optional<uint32_t>& value, std::initializer_list<uint32_t> known) {
  return std::find(known.begin(), known.end(), value) != known.end();
}

Duration legacy_time(int64_t bytes, double bits_per_symbol) {
  const double bits = static_cast<double>(8 * bytes + ofdm_service_bits);
  return legacy_preamble + signal_extension +
         microseconds(4 * static_cast<int64_t>(std::ceil(bits / bits_per_symbol)));
}

RadioTiming timing_b(uint32_t mbps, AirKind kind) {
  const double rate = mbps == 5 ? 5.5 : mbps;
  // An access point's basic rates are 1 and 2 Mb/s.
  const double answer_rate = kind == AirKind::access_point ? std::min(rate, 2.0) : rate;
  RadioTiming radio{.kind = kind, .slot = long_slot, .short_gap = gap, .wait = gap + 2 * long_slot};
  radio.least_contention = 31;
  radio.preamble = dsss_preamble;
  radio.symbol = microseconds(1);
  radio.bits_per_symbol = rate;
  radio.header_bytes = mac_bytes + llc_bytes;
  radio.answer_to_one =
      dsss_preamble +
      microseconds(std::lround(8.0 * static_cast<double>(answer_bytes) / answer_rate));
  radio.answer_to_many = radio.answer_to_one;
  return radio;
}

RadioTiming timing_g(uint32_t mbps, AirKind kind) {
  const Duration slot = kind == AirKind::ad_hoc ? long_slot : short_slot;
  RadioTiming radio{.kind = kind, .slot = slot, .short_gap = gap, .wait = gap + 2 * slot};
  radio.preamble = legacy_preamble + signal_extension;
  radio.symbol = microseconds(4);
  radio.bits_per_symbol = 4.0 * mbps;
  radio.service_bits = ofdm_service_bits;
  radio.header_bytes = mac_bytes + llc_bytes;
  radio.answer_to_one = legacy_time(answer_bytes, std::min(radio.bits_per_symbol, data_bits_24));
  radio.answer_to_many = radio.answer_to_one;
  return radio;
}

// Streams, subcarriers and coding: tables 19-27 to 19-34.
RadioTiming timing_n(uint32_t mcs, uint32_t width_mhz, uint32_t guard_ns, AirKind kind) {
  constexpr std::array<double, 8> bits_per_carrier{0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0};
  const uint32_t streams = mcs / 8 + 1;
  const Duration slot = kind == AirKind::ad_hoc ? long_slot : short_slot;
  constexpr int arbitration_slots = 3;  // AIFSN of best effort
  RadioTiming radio{
      .kind = kind, .slot = slot, .short_gap = gap, .wait = gap + arbitration_slots * slot};
  const uint32_t training = streams == 3 ? 4 : streams;
  radio.preamble = legacy_preamble + microseconds(8 + 4 + 4 * training) + signal_extension;
  radio.symbol = guard_ns == 400 ? nanoseconds(3600) : nanoseconds(4000);
  radio.bits_per_symbol = (width_mhz == 40 ? 108 : 52) * bits_per_carrier[mcs % 8] * streams;
  radio.service_bits = ofdm_service_bits;
  radio.header_bytes = mac_bytes + llc_bytes + quality_bytes + delimiter_bytes;
  radio.most_bytes = 65'535;
  radio.longest_frame = microseconds(5484);
  radio.most_packets = 64;
  radio.answer_to_one = legacy_time(answer_bytes, data_bits_24);
  radio.answer_to_many = legacy_time(block_answer_bytes, data_bits_24);
  radio.request = legacy_time(request_bytes, data_bits_24);
  return radio;
}

}  // namespace

std::optional<RadioTiming> radio_timing(std::string_view mode, AirKind kind) {
  std::array<std::optional<uint32_t>, 3> numbers;
  if (mode.size() < 3 || mode[1] != '-') return std::nullopt;
  size_t count = 0;
  for (size_t begin = 2; begin <= mode.size(); ++count) {
    const size_t end = std::min(mode.find('-', begin), mode.size());
    if (count == numbers.size()) return std::nullopt;
    numbers[count] = number(mode.substr(begin, end - begin));
    if (!numbers[count]) return std::nullopt;
    begin = end + 1;
  }
  if (mode[0] == 'b' && count == 1 && is_one_of(numbers[0], {1, 2, 5, 11}))
    return timing_b(*numbers[0], kind);
  if (mode[0] == 'g' && count == 1 && is_one_of(numbers[0], {6, 9, 12, 18, 24, 36, 48, 54}))
    return timing_g(*numbers[0], kind);
  if (mode[0] == 'n' && count == 3 && *numbers[0] < 32 && is_one_of(numbers[1], {20, 40}) &&
      is_one_of(numbers[2], {400, 800}))
    return timing_n(*numbers[0], *numbers[1], *numbers[2], kind);
  return std::nullopt;
}

Duration frame_time(const RadioTiming& radio, int64_t bytes) {
  const double bits = static_cast<double>(8 * bytes + radio.service_bits);
  return radio.preamble +
         static_cast<int64_t>(std::ceil(bits / radio.bits_per_symbol)) * radio.symbol;
}

}  // namespace shingle
