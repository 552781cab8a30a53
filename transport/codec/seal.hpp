// The seal of a message: the CRC-32C of its header and its payload, four bytes after the header.
//
//    header frame: [ FlatBuffer ][ seal ]     payload frame: [ elements ]
//
// TCP's own sum misses one bent packet in 65,536, and memory on the way bends too: an element with
// a wrong exponent, or a piece with another number, must not be pasted. CURVE would notice what is
// bent on the wire; the seal notices it also in clear, and in the memory of both machines.
#pragma once

#include <optional>
#include <span>
#include <zmq.hpp>

namespace shingle {

inline constexpr size_t seal_bytes = 4;  // little-endian

// The header frame of a message.
zmq::message_t sealed(std::span<const std::byte> header, std::span<const std::byte> payload = {});

// The header without its seal; none if a bit of it or of the payload is wrong.
std::optional<std::span<const std::byte>> unsealed(std::span<const std::byte> frame,
                                                   std::span<const std::byte> payload = {});

}  // namespace shingle
