#include "apps/members/own_addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>

namespace shingle {
namespace {

// The address in numbers; empty for other families and for link-local addresses.
std::string numbers_of(const sockaddr* address) {
  const bool v4 = address->sa_family == AF_INET, v6 = address->sa_family == AF_INET6;
  if (!v4 && !v6) return "";
  if (v6 && IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr))
    return "";
  char host[NI_MAXHOST];
  const socklen_t size = v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int failed = ::getnameinfo(address, size, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return failed == 0 ? host : "";
}

}  // namespace

bool is_numeric(const std::string& host) {
  std::array<std::byte, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

std::vector<Address> own_addresses(const std::string& host, uint16_t port, size_t most) {
  const bool any = host == "*" || host == "0.0.0.0" || host == "::";
  if (!any && is_numeric(host)) return {{host, port}};
  std::vector<Address> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) == 0) {
    for (const ifaddrs* each = all; each != nullptr && found.size() < most; each = each->ifa_next) {
      const bool usable = each->ifa_addr != nullptr && (each->ifa_flags & IFF_UP) != 0 &&
                          (each->ifa_flags & IFF_LOOPBACK) == 0;
      const std::string numbers = usable ? numbers_of(each->ifa_addr) : "";
      if (!numbers.empty()) found.push_back({numbers, port});
    }
    ::freeifaddrs(all);
  }
  if (found.empty()) found.push_back({"127.0.0.1", port});
  return found;
}

}  // namespace shingle
