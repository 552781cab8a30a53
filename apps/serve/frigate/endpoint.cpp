#include "apps/serve/frigate/endpoint.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

constexpr int pending_connections = 64;
constexpr mode_t socket_mode = 0660;

struct AnyAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

AnyAddress address_of(const IpcEndpoint& ipc) {
  AnyAddress any;
  auto& local = reinterpret_cast<sockaddr_un&>(any.storage);
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, ipc.path.c_str(), ipc.path.size() + 1);
  any.size = sizeof(sockaddr_un);
  return any;
}

AnyAddress address_of(const TcpEndpoint& tcp) {
  AnyAddress any;
  auto& four = reinterpret_cast<sockaddr_in&>(any.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(any.storage);
  if (::inet_pton(AF_INET, tcp.address.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(tcp.port);
    any.size = sizeof(sockaddr_in);
    return any;
  }
  ::inet_pton(AF_INET6, tcp.address.c_str(), &six.sin6_addr);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(tcp.port);
  any.size = sizeof(sockaddr_in6);
  return any;
}

Result<FrigateEndpoint> read_ipc(const std::string& path, const std::string& text) {
  if (path.starts_with('@'))
    return usage_error(in_quotes(text) +
                       " has no file, so everybody on this machine may connect; name a path");
  if (!path.starts_with('/') || path.size() >= sizeof(sockaddr_un{}.sun_path))
    return usage_error(in_quotes(text) + " does not name an absolute path of at most 107 bytes");
  return FrigateEndpoint(IpcEndpoint{path});
}

Result<FrigateEndpoint> read_tcp(const std::string& rest, const std::string& text, bool expose) {
  const size_t colon = rest.rfind(':');
  TcpEndpoint tcp;
  const char* end = rest.data() + rest.size();
  const char* digits = colon == std::string::npos ? end : rest.data() + colon + 1;
  const auto port = std::from_chars(digits, end, tcp.port);
  if (colon == std::string::npos || port.ec != std::errc() || port.ptr != end)
    return usage_error(in_quotes(text) + " names no port, as tcp://127.0.0.1:5555 does");
  tcp.address = rest.substr(0, colon);
  if (tcp.address == "*") tcp.address = "0.0.0.0";
  if (tcp.address.starts_with('[') && tcp.address.ends_with(']'))
    tcp.address = tcp.address.substr(1, tcp.address.size() - 2);
  const Reach reach = reach_of(tcp.address);
  if (reach == Reach::no_address)
    return usage_error(in_quotes(text) + " names no address in numbers, as tcp://127.0.0.1:5555");
  if (reach == Reach::others && !expose)
    return usage_error("others would reach " + in_quotes(text) +
                       ", without encryption and without being asked who they are; add --expose if "
                       "you want that");
  return FrigateEndpoint(std::move(tcp));
}

Error cannot_listen(const std::string& where) {
  return Error{"cannot listen at " + where + ": " + std::strerror(errno)};
}

// Deletes a socket file that nobody listens at.
Status clear_place(const IpcEndpoint& ipc) {
  struct stat found {};
  if (::lstat(ipc.path.c_str(), &found) != 0) return success();
  if (!S_ISSOCK(found.st_mode))
    return usage_error("'" + ipc.path + "' is there and is no socket: name another path");
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const AnyAddress address = address_of(ipc);
  const bool is_used = ::connect(probe, address.get(), address.size) == 0 || errno == EAGAIN;
  ::close(probe);
  if (is_used)
    return Error{"another program listens at '" + ipc.path + "': stop it, or name another path"};
  ::unlink(ipc.path.c_str());
  return success();
}

std::string written(const FrigateEndpoint& endpoint) {
  if (const auto* ipc = std::get_if<IpcEndpoint>(&endpoint)) return "ipc://" + ipc->path;
  const auto& tcp = std::get<TcpEndpoint>(endpoint);
  const bool is_ipv6 = tcp.address.find(':') != std::string::npos;
  return "tcp://" + (is_ipv6 ? "[" + tcp.address + "]" : tcp.address) + ":" +
         std::to_string(tcp.port);
}

uint16_t port_of(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size);
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

}  // namespace

Reach reach_of(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127 ? Reach::this_machine : Reach::others;
  if (::inet_pton(AF_INET6, address.c_str(), &six) != 1) return Reach::no_address;
  return IN6_IS_ADDR_LOOPBACK(&six) ? Reach::this_machine : Reach::others;
}

Result<FrigateEndpoint> read_frigate_endpoint(const std::string& text, bool expose) {
  const std::string ipc = "ipc://", tcp = "tcp://";
  if (text.starts_with(ipc)) return read_ipc(text.substr(ipc.size()), text);
  if (text.starts_with(tcp)) return read_tcp(text.substr(tcp.size()), text, expose);
  return usage_error(in_quotes(text) +
                     " is no endpoint, as ipc:///tmp/frigate or tcp://127.0.0.1:5555 is");
}

Result<Listener> Listener::open(const FrigateEndpoint& endpoint) {
  const auto* ipc = std::get_if<IpcEndpoint>(&endpoint);
  if (ipc != nullptr)
    if (const Status clear = clear_place(*ipc); !clear) return clear.failure();
  const AnyAddress address =
      std::visit([](const auto& place) { return address_of(place); }, endpoint);
  const int descriptor =
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return cannot_listen(written(endpoint));
  Listener listener(descriptor, endpoint);
  const int yes = 1;
  if (ipc == nullptr) ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(descriptor, address.get(), address.size) != 0) {
    const Error failure = cannot_listen(written(endpoint));
    listener.endpoint_ = TcpEndpoint{};  // the file, if there is one, is another's
    return failure;
  }
  if ((ipc != nullptr && ::chmod(ipc->path.c_str(), socket_mode) != 0) ||
      ::listen(descriptor, pending_connections) != 0)
    return cannot_listen(written(endpoint));
  if (auto* tcp = std::get_if<TcpEndpoint>(&listener.endpoint_)) tcp->port = port_of(descriptor);
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), endpoint_(std::move(other.endpoint_)) {}

Listener::~Listener() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (const auto* ipc = std::get_if<IpcEndpoint>(&endpoint_)) ::unlink(ipc->path.c_str());
}

std::string Listener::endpoint() const { return written(endpoint_); }

}  // namespace shingle::serve
