#include "transport/codec/frame_checksum.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "partition/base/checksum.hpp"

namespace shingle {

namespace {

std::array<std::byte, frame_checksum_bytes> checksum_of(std::span<const std::byte> header,
                                                        std::span<const std::byte> payload) {
  const uint32_t sum = checksum(payload, checksum(header));
  std::array<std::byte, frame_checksum_bytes> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(sum >> 8 * i);
  return bytes;
}

}  // namespace

zmq::message_t with_checksum(std::span<const std::byte> header,
                             std::span<const std::byte> payload) {
  assert(!header.empty());
  zmq::message_t frame(header.size() + frame_checksum_bytes);
  std::byte* const end = std::ranges::copy(header, frame.data<std::byte>()).out;
  std::ranges::copy(checksum_of(header, payload), end);
  return frame;
}

std::optional<std::span<const std::byte>> without_checksum(std::span<const std::byte> frame,
                                                           std::span<const std::byte> payload) {
  if (frame.size() < frame_checksum_bytes) return std::nullopt;
  const auto header = frame.first(frame.size() - frame_checksum_bytes);
  if (!std::ranges::equal(frame.last(frame_checksum_bytes), checksum_of(header, payload)))
    return std::nullopt;
  return header;
}

}  // namespace shingle
