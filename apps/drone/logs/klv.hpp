// Key-length-value packets of SMPTE ST 336 as video carries them:
//   key (16 bytes)  length (BER)  value = a local set: tag (BER-OID)  length (BER)  value ...
//
// An asynchronous stream's payload is packets alone. A synchronous one puts each packet, or a part
// of it, into a metadata access unit cell (ISO/IEC 13818-1, 2.12.4): service id, sequence number,
// flags, two bytes of length, data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shingle::drone {

using Bytes = std::span<const std::byte>;

// Without the headers of access unit cells, if the payload is a chain of them; else as it is.
std::vector<std::byte> klv_of_payload(Bytes payload);

struct KlvItem {
  uint32_t tag = 0;
  Bytes value{};
};

// A packet of the UAS datalink local set (MISB ST 0601). The parts lie in the bytes that were read.
struct KlvPacket {
  Bytes whole{};  // from the key's first byte on
  std::vector<KlvItem> items{};
  bool is_intact = false;  // its items fill it exactly, and its checksum (tag 1) is right
};

// The next packet from `at` on, which is moved behind it; other keys and bytes are passed over.
// None: there is no further key. A packet that breaks off is not intact and ends the bytes.
std::optional<KlvPacket> next_packet(Bytes bytes, size_t& at);

bool has_uas_key(Bytes bytes);  // anywhere in them

// Big-endian. REQUIRES: at most 8 bytes.
uint64_t unsigned_of(Bytes bytes);
int64_t signed_of(Bytes bytes);

}  // namespace shingle::drone
