#include "apps/serve/v2/host_rule.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

namespace shingle::serve {
namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& letter : small)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return small;
}

// Without the port and the brackets of IPv6. None: it is no host.
std::optional<std::string> name_in(std::string_view host) {
  std::string_view rest;
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    rest = host.substr(end + 1);
    host = host.substr(1, end - 1);
  } else {
    const size_t colon = std::min(host.find(':'), host.size());
    rest = host.substr(colon);
    host = host.substr(0, colon);
  }
  const bool is_port = rest.empty() || (rest[0] == ':' && rest.find_first_not_of("0123456789", 1) ==
                                                              std::string_view::npos);
  return is_port ? std::optional(lower(host)) : std::nullopt;
}

}  // namespace

bool HostRule::allows(std::string_view host) const {
  const auto name = name_in(host);
  if (!name) return false;
  if (*name == "localhost") return true;
  const bool is_named =
      std::ranges::any_of(names, [&](const std::string& each) { return lower(each) == *name; });
  if (is_named) return true;
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, name->c_str(), &four) == 1)
    return exposed || (ntohl(four.s_addr) >> 24) == 127;
  if (::inet_pton(AF_INET6, name->c_str(), &six) == 1) return exposed || *name == "::1";
  return false;
}

}  // namespace shingle::serve
