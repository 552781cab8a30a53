// "10.0.0.7:7100": where a peer is reached, as people write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/system/exit.hpp"

namespace shingle {

struct WrittenAddress {
  std::string host;
  uint16_t port = 0;
};
std::optional<WrittenAddress> read_address(const std::string& text);

// Why it may not be used: it is none, or it lies beyond this machine and nobody said `insecure`.
Status refuse_address(const std::string& text, bool insecure);

}  // namespace shingle
