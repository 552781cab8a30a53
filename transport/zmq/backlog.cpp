#include "transport/zmq/backlog.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstddef>

namespace shingle {

namespace {

std::optional<uint64_t> socket_at(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return std::nullopt;
  return facts.st_ino;
}

}  // namespace

Backlog::Backlog(int descriptor) : descriptor_(descriptor), socket_(socket_at(descriptor)) {}

std::optional<uint64_t> Backlog::arrived() const {
  constexpr size_t needed =
      offsetof(tcp_info, tcpi_bytes_received) + sizeof(tcp_info::tcpi_bytes_received);
  if (!socket_ || socket_at(descriptor_) != socket_) return std::nullopt;
  tcp_info facts{};
  socklen_t size = sizeof facts;
  if (::getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &facts, &size) != 0 || size < needed)
    return std::nullopt;
  return facts.tcpi_bytes_received;
}

}  // namespace shingle
