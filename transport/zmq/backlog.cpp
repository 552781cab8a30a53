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

std::optional<tcp_info> tcp_facts(int descriptor) {
  constexpr size_t needed =
      offsetof(tcp_info, tcpi_bytes_received) + sizeof(tcp_info::tcpi_bytes_received);
  tcp_info facts{};
  socklen_t size = sizeof facts;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &facts, &size) != 0 || size < needed)
    return std::nullopt;
  return facts;
}

}  // namespace

Backlog::Backlog(int descriptor) : descriptor_(descriptor), socket_(socket_at(descriptor)) {}

std::optional<uint64_t> Backlog::arrived() const {
  if (!socket_ || socket_at(descriptor_) != socket_) return std::nullopt;
  const std::optional<tcp_info> facts = tcp_facts(descriptor_);
  if (!facts) return std::nullopt;
  return facts->tcpi_bytes_received;
}

std::optional<uint64_t> Backlog::sent_again() const {
  if (!socket_ || socket_at(descriptor_) != socket_) return std::nullopt;
  const std::optional<tcp_info> facts = tcp_facts(descriptor_);
  if (!facts) return std::nullopt;
  return facts->tcpi_total_retrans;
}

}  // namespace shingle
