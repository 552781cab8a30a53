#include "apps/drone/logs/klv.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace shingle::drone {
namespace {

constexpr std::array<uint8_t, 16> uas_key{0x06, 0x0E, 0x2B, 0x34, 0x02, 0x0B, 0x01, 0x01,
                                          0x0E, 0x01, 0x03, 0x01, 0x01, 0x00, 0x00, 0x00};

bool is_key(std::byte left, uint8_t right) { return std::to_integer<uint8_t>(left) == right; }

// From `at` on. The size of `bytes`: there is none.
size_t find_key(Bytes bytes, size_t at) {
  const auto found = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(),
                                 uas_key.begin(), uas_key.end(), is_key);
  return static_cast<size_t>(found - bytes.begin());
}

// One byte below 128, or 128 + how many bytes follow with the length.
std::optional<size_t> take_ber_length(Bytes bytes, size_t& at) {
  if (at >= bytes.size()) return std::nullopt;
  const auto first = std::to_integer<size_t>(bytes[at++]);
  if (first < 128) return first;
  const size_t count = first - 128;
  if (count == 0 || count > 4 || bytes.size() - at < count) return std::nullopt;
  const uint64_t length = unsigned_of(bytes.subspan(at, count));
  at += count;
  return static_cast<size_t>(length);
}

// Seven bits a byte; the high bit says that more follow.
std::optional<uint32_t> take_tag(Bytes bytes, size_t& at) {
  uint32_t tag = 0;
  for (size_t count = 0; count < 4 && at < bytes.size(); ++count) {
    const auto part = std::to_integer<uint32_t>(bytes[at++]);
    tag = (tag << 7) | (part & 127);
    if (part < 128) return tag;
  }
  return std::nullopt;
}

// False: the items do not fill the value.
bool read_items(Bytes bytes, size_t at, std::vector<KlvItem>& items) {
  while (at < bytes.size()) {
    const auto tag = take_tag(bytes, at);
    if (!tag) return false;
    const auto length = take_ber_length(bytes, at);
    if (!length || *length > bytes.size() - at) return false;
    items.push_back({*tag, bytes.subspan(at, *length)});
    at += *length;
  }
  return true;
}

// ST 0601, "Checksum": the sum of 16-bit words over the whole packet up to the checksum's value.
bool has_right_checksum(const KlvPacket& packet) {
  if (packet.items.empty() || packet.items.back().tag != 1 || packet.items.back().value.size() != 2)
    return false;
  uint32_t sum = 0;
  for (size_t at = 0; at + 2 < packet.whole.size(); ++at)
    sum += std::to_integer<uint32_t>(packet.whole[at]) << (at % 2 == 0 ? 8 : 0);
  return (sum & 0xFFFF) == unsigned_of(packet.items.back().value);
}

}  // namespace

uint64_t unsigned_of(Bytes bytes) {
  assert(bytes.size() <= 8);
  uint64_t value = 0;
  for (const std::byte each : bytes) value = (value << 8) | std::to_integer<uint64_t>(each);
  return value;
}

int64_t signed_of(Bytes bytes) {
  const uint64_t value = unsigned_of(bytes);
  if (bytes.empty() || bytes.size() == 8) return static_cast<int64_t>(value);
  const uint64_t sign = uint64_t{1} << (8 * bytes.size() - 1);
  return static_cast<int64_t>(value ^ sign) - static_cast<int64_t>(sign);
}

std::vector<std::byte> klv_of_payload(Bytes payload) {
  constexpr size_t header = 5;
  std::vector<std::byte> data;
  size_t at = 0;
  while (at < payload.size()) {
    if (payload.size() - at < header) break;
    const size_t length = unsigned_of(payload.subspan(at + 3, 2));
    if (length == 0 || length > payload.size() - at - header) break;
    const Bytes cell = payload.subspan(at + header, length);
    data.insert(data.end(), cell.begin(), cell.end());
    at += header + length;
  }
  const bool is_chain = at == payload.size() && find_key(data, 0) == 0;
  return is_chain ? data : std::vector<std::byte>(payload.begin(), payload.end());
}

std::optional<KlvPacket> next_packet(Bytes bytes, size_t& at) {
  const size_t begin = find_key(bytes, at);
  if (begin == bytes.size()) {
    at = begin;
    return std::nullopt;
  }
  KlvPacket packet;
  size_t value = begin + uas_key.size();
  const auto length = take_ber_length(bytes, value);
  if (!length || *length > bytes.size() - value) {
    // Broken off, or a damaged length: go on at the next key, if there is one.
    at = find_key(bytes, begin + 1);
    packet.whole = bytes.subspan(begin, at - begin);
    return packet;
  }
  at = value + *length;
  packet.whole = bytes.subspan(begin, at - begin);
  packet.is_intact =
      read_items(packet.whole, value - begin, packet.items) && has_right_checksum(packet);
  // A damaged length may have swallowed the packets behind it.
  if (!packet.is_intact) at = std::min(at, find_key(bytes, begin + 1));
  return packet;
}

bool has_uas_key(Bytes bytes) { return find_key(bytes, 0) < bytes.size(); }

}  // namespace shingle::drone
