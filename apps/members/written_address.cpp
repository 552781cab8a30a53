#include "apps/members/written_address.hpp"

#include <charconv>

#include "transport/zmq/endpoint.hpp"

namespace shingle {

std::optional<WrittenAddress> read_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  WrittenAddress address{text.substr(0, colon), 0};
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data() + colon + 1, end, address.port);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  return address;
}

Status refuse_address(const std::string& text, bool insecure) {
  const auto address = read_address(text);
  if (!address) return usage_error("'" + text + "' is not ADDRESS:PORT, such as 10.0.0.7:7100");
  if (!insecure && !is_loopback(address->host))
    return usage_error("'" + address->host +
                       "' would be reached without encryption, by anybody; add " +
                       "--insecure if you want that");
  return success();
}

}  // namespace shingle
