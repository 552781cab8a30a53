#include "apps/system/reserved_ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace shingle {
namespace {

// Binds to a port that the kernel chooses; 0 when it cannot.
uint16_t bind_any(int socket) {
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) return 0;
  if (::bind(socket, generic, size) != 0) return 0;
  if (::getsockname(socket, generic, &size) != 0) return 0;
  return ntohs(address.sin_port);
}

}  // namespace

Result<ReservedPorts> ReservedPorts::on_loopback(size_t count) {
  ReservedPorts reserved;
  for (size_t i = 0; i < count; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket >= 0) reserved.sockets_.push_back(socket);
    const uint16_t port = socket >= 0 ? bind_any(socket) : uint16_t{0};
    if (port == 0) return Error{std::string("no free loopback port: ") + std::strerror(errno)};
    reserved.ports_.push_back(port);
  }
  return reserved;
}

ReservedPorts::~ReservedPorts() {
  for (const int socket : sockets_) ::close(socket);
}

}  // namespace shingle
