// The checksum of a message: the CRC-32C of its header and its payload, in four bytes after the
// header.
//
//    header frame: [ FlatBuffer ][ checksum ]     payload frame: [ elements ]
//
// TCP's own checksum misses one corrupted packet in 65,536, and memory can flip bits as well. An
// element with a wrong exponent, or a piece with a wrong index, must not reach a canvas. CURVE
// finds what was corrupted on the wire; this checksum also works without keys, and finds what was
// corrupted in the memory of either machine.
#pragma once

#include <optional>
#include <span>
#include <zmq.hpp>

namespace shingle {

inline constexpr size_t frame_checksum_bytes = 4;  // little-endian

// The header frame of a message: the header and the checksum.
// REQUIRES: the header is not empty.
zmq::message_t with_checksum(std::span<const std::byte> header,
                             std::span<const std::byte> payload = {});

// The header without its checksum; none if a bit of the frame or of the payload is wrong.
std::optional<std::span<const std::byte>> without_checksum(std::span<const std::byte> frame,
                                                           std::span<const std::byte> payload = {});

}  // namespace shingle
