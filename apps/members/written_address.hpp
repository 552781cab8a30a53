// An address as people write it: "10.0.0.7:7100".
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

// An error if it is no address, or if it is not on this machine and the user did not say
// `insecure`.
Status refuse_address(const std::string& text, bool insecure);

}  // namespace shingle
