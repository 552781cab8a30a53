#include "bench/ftp/wire.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace shingle::ftp {
namespace {

using std::chrono::steady_clock;

constexpr int backlog = 64;

struct Header {
  uint32_t kind = 0, device = 0, frame = 0, tile = 0, flag = 0, floats = 0;
};

[[noreturn]] void fail(const std::string& what) {
  throw WireError(what + ": " + std::strerror(errno));
}

std::string written(const Place& place) { return place.address + ":" + std::to_string(place.port); }

sockaddr_in address_of(const Place& place) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(place.port);
  if (inet_pton(AF_INET, place.address.c_str(), &address.sin_addr) != 1)
    throw WireError("'" + place.address + "' is no IPv4 address");
  return address;
}

int new_socket() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("no socket");
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return descriptor;
}

int connect_to(const Place& place, std::chrono::seconds patience) {
  const sockaddr_in address = address_of(place);
  const auto end = steady_clock::now() + patience;
  for (;;) {
    const int descriptor = new_socket();
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return descriptor;
    close(descriptor);
    if (errno != ECONNREFUSED || steady_clock::now() > end)
      fail("no connection to " + written(place));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

void give_up(const std::exception& error) {
  std::fprintf(stderr, "ftp: %s\n", error.what());
  std::_Exit(1);  // other threads wait for each other
}

Connection::Connection(const Place& place, Traffic& traffic, std::chrono::seconds patience)
    : descriptor_(connect_to(place, patience)), traffic_(traffic) {}

Connection::~Connection() { close(descriptor_); }

void Connection::write(const void* bytes, size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(descriptor_, from, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail("a message cannot be sent");
    from += sent;
    count -= static_cast<size_t>(sent);
  }
}

void Connection::read(void* bytes, size_t count) {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = recv(descriptor_, to, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("a message cannot be received");
    if (got == 0) throw WireError("a connection ended within a message");
    to += got;
    count -= static_cast<size_t>(got);
  }
}

void Connection::send(const Message& message) {
  const auto floats = static_cast<uint32_t>(message.data.size());
  const Header header{static_cast<uint32_t>(message.kind),
                      message.device,
                      message.frame,
                      message.tile,
                      message.flag,
                      floats};
  write(&header, sizeof header);
  write(message.data.data(), floats * sizeof(float));
  traffic_.sent_bytes += static_cast<int64_t>(floats * sizeof(float));
}

Message Connection::receive() {
  Header header;
  read(&header, sizeof header);
  if (header.floats > most_floats || header.kind > static_cast<uint32_t>(Kind::wait))
    throw WireError("a message is none of this program's");
  Message message{static_cast<Kind>(header.kind), header.device, header.frame, header.tile,
                  header.flag};
  message.data.resize(header.floats);
  read(message.data.data(), header.floats * sizeof(float));
  return message;
}

Message ask(const Place& place, const Message& message, Traffic& traffic) {
  Connection connection(place, traffic);
  connection.send(message);
  return connection.receive();
}

void tell(const Place& place, const Message& message, Traffic& traffic) {
  Connection(place, traffic).send(message);
}

Service::Service(const Place& place, Traffic& traffic, Handler handler)
    : place_(place), traffic_(traffic), handler_(std::move(handler)), listener_(new_socket()) {
  const sockaddr_in address = address_of(place);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, backlog) != 0)
    fail("no service at " + written(place));
  thread_ = std::thread([this] { serve(); });
}

Service::~Service() {
  stopped_ = true;
  thread_.join();
  close(listener_);
}

void Service::serve() {
  while (!stopped_) {
    pollfd ready{.fd = listener_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, 20) <= 0) continue;
    try {
      serve_one();
    } catch (const std::exception& error) {
      give_up(error);
    }
  }
}

void Service::serve_one() {
  const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor < 0) fail("no connection taken");
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Connection connection(descriptor, traffic_);
  handler_(connection.receive(), connection);
}

}  // namespace shingle::ftp
