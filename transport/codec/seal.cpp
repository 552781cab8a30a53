#include "transport/codec/seal.hpp"

#include <algorithm>
#include <array>

#include "partition/base/checksum.hpp"

namespace shingle {

namespace {

std::array<std::byte, seal_bytes> seal_of(std::span<const std::byte> header,
                                          std::span<const std::byte> payload) {
  const uint32_t sum = checksum(payload, checksum(header));
  std::array<std::byte, seal_bytes> seal{};
  for (size_t i = 0; i < seal.size(); ++i) seal[i] = static_cast<std::byte>(sum >> 8 * i);
  return seal;
}

}  // namespace

zmq::message_t sealed(std::span<const std::byte> header, std::span<const std::byte> payload) {
  zmq::message_t frame(header.size() + seal_bytes);
  std::byte* const end = std::ranges::copy(header, frame.data<std::byte>()).out;
  std::ranges::copy(seal_of(header, payload), end);
  return frame;
}

std::optional<std::span<const std::byte>> unsealed(std::span<const std::byte> frame,
                                                   std::span<const std::byte> payload) {
  if (frame.size() < seal_bytes) return std::nullopt;
  const auto header = frame.first(frame.size() - seal_bytes);
  if (!std::ranges::equal(frame.last(seal_bytes), seal_of(header, payload))) return std::nullopt;
  return header;
}

}  // namespace shingle
