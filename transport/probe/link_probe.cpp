#include "transport/probe/link_probe.hpp"

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace shingle {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

static_assert(std::endian::native == std::endian::little, "figures travel as they lie in memory");

constexpr int pings = 20;
constexpr size_t burst_bytes = 64 * 1024;
constexpr milliseconds longest_burst{10'000}, longest_silence{5'000};

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Error failed(const std::string& what) {
  return Error{what + ": " + (errno == EAGAIN ? "the peer is silent" : std::strerror(errno))};
}

// REQUIRES: an open socket.
void set_up(const Socket& socket) {
  assert(socket.get() >= 0);
  const timeval silence{.tv_sec = longest_silence.count() / 1000, .tv_usec = 0};
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence);
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Status send_all(const Socket& socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return failed("sending");
    bytes = bytes.subspan(static_cast<size_t>(sent));
  }
  return success();
}

Status receive_all(const Socket& socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (got == 0) return Error{"the peer closed the connection"};
    if (got < 0) return failed("receiving");
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
  return success();
}

struct Burst {
  int64_t bytes = 0, nanos = 0;
  double mbps() const { return nanos > 0 ? 8e3 * double(bytes) / double(nanos) : 0.0; }
};

// Bursts end with a byte of 1; all others are 0. REQUIRES: length is positive.
Status send_burst(const Socket& socket, milliseconds length) {
  assert(length.count() > 0);
  std::vector<std::byte> block(burst_bytes);
  for (const auto end = Clock::now() + length; Clock::now() < end;)
    if (Status sent = send_all(socket, block); !sent) return sent;
  block.back() = std::byte{1};
  return send_all(socket, block);
}

// Counts from the end of the first quarter on: before that, TCP still adapts its rate and buffers
// fill. REQUIRES: length is positive.
Result<Burst> receive_burst(const Socket& socket, milliseconds length) {
  assert(length.count() > 0);
  std::vector<std::byte> block(burst_bytes);
  Burst burst;
  const auto begin = Clock::now();
  auto since = begin, now = begin;
  while (now - begin < longest_burst + longest_silence) {
    if (Status got = receive_all(socket, block); !got) return got.failure();
    now = Clock::now();
    if (now - begin < length / 4)
      since = now;
    else
      burst.bytes += static_cast<int64_t>(block.size());
    burst.nanos = nanoseconds(now - since).count();
    if (block.back() == std::byte{1}) return burst;
  }
  return Error{"the peer sends without end"};
}

Status answer_on(const Socket& socket) {
  std::array<std::byte, 1> ping{};
  for (int i = 0; i < pings; ++i) {
    if (Status got = receive_all(socket, ping); !got) return got;
    if (Status sent = send_all(socket, ping); !sent) return sent;
  }
  int64_t length_ms = 0;
  if (Status got = receive_all(socket, std::as_writable_bytes(std::span(&length_ms, 1))); !got)
    return got;
  const milliseconds length(std::clamp<int64_t>(length_ms, 1, longest_burst.count()));
  const Result<Burst> there = receive_burst(socket, length);
  if (!there) return there.failure();
  if (Status sent = send_all(socket, std::as_bytes(std::span(&*there, 1))); !sent) return sent;
  return send_burst(socket, length);
}

Result<double> round_trip_us(const Socket& socket) {
  std::array<std::byte, 1> ping{};
  std::array<double, pings> times{};
  for (double& time : times) {
    const auto begin = Clock::now();
    if (const Status sent = send_all(socket, ping); !sent) return sent.failure();
    if (const Status got = receive_all(socket, ping); !got) return got.failure();
    time = static_cast<double>(nanoseconds(Clock::now() - begin).count()) * 1e-3;
  }
  std::sort(times.begin(), times.end());
  return times[pings / 2];
}

Result<LinkSpeed> ask_on(const Socket& socket, milliseconds length) {
  const Result<double> round_trip = round_trip_us(socket);
  if (!round_trip) return round_trip.failure();
  const int64_t length_ms = length.count();
  if (const Status sent = send_all(socket, std::as_bytes(std::span(&length_ms, 1))); !sent)
    return sent.failure();
  if (const Status sent = send_burst(socket, length); !sent) return sent.failure();
  Burst there;
  if (const Status got = receive_all(socket, std::as_writable_bytes(std::span(&there, 1))); !got)
    return got.failure();
  const Result<Burst> back = receive_burst(socket, length);
  if (!back) return back.failure();
  return LinkSpeed{there.mbps(), back->mbps(), *round_trip};
}

// Makes a socket for each address of the name in turn, until `use` accepts one.
template <class Use>
Result<int> first_socket(const std::string& host, uint16_t port, int flags, const Use& use) {
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  const std::string port_text = std::to_string(port), name = host + " port " + port_text;
  if (const int code = getaddrinfo(host.c_str(), port_text.c_str(), &hints, &all); code != 0)
    return Error{name + ": " + gai_strerror(code)};
  int found = -1;
  for (const addrinfo* each = all; each != nullptr && found < 0; each = each->ai_next) {
    const int made = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (made >= 0 && use(made, *each))
      found = made;
    else if (made >= 0)
      close(made);
  }
  freeaddrinfo(all);
  if (found < 0) return failed(name);
  return found;
}

uint16_t port_of(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[8] = "0";
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    getnameinfo(reinterpret_cast<sockaddr*>(&address), size, nullptr, 0, text, sizeof text,
                NI_NUMERICSERV);
  return static_cast<uint16_t>(std::stoul(text));
}

}  // namespace

Result<LinkAnswerer> LinkAnswerer::listen(const std::string& host, uint16_t port) {
  const Result<int> listener =
      first_socket(host, port, AI_PASSIVE, [](int made, const addrinfo& at) {
        const int yes = 1;
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        return bind(made, at.ai_addr, at.ai_addrlen) == 0 && ::listen(made, 1) == 0;
      });
  if (!listener) return listener.failure();
  return LinkAnswerer(*listener, port_of(*listener));
}

LinkAnswerer::LinkAnswerer(LinkAnswerer&& other) noexcept
    : listener_(std::exchange(other.listener_, -1)), port_(other.port_) {}

LinkAnswerer::~LinkAnswerer() {
  if (listener_ >= 0) close(listener_);
}

Status LinkAnswerer::answer(milliseconds patience) {
  assert(listener_ >= 0 && patience.count() >= 0);
  pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0)
    return Error{"nobody asked at port " + std::to_string(port_) + " in " +
                 std::to_string(patience.count() / 1000) + " s"};
  const Socket socket(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.get() < 0) return failed("accepting");
  set_up(socket);
  return answer_on(socket);
}

Result<LinkSpeed> measure_link(const std::string& host, uint16_t port, milliseconds each_way) {
  assert(each_way.count() > 0);
  const Result<int> connected = first_socket(host, port, 0, [](int made, const addrinfo& at) {
    return connect(made, at.ai_addr, at.ai_addrlen) == 0;
  });
  if (!connected) return connected.failure();
  const Socket socket(*connected);
  set_up(socket);
  Result<LinkSpeed> speed = ask_on(socket, std::min(each_way, longest_burst));
  if (!speed) return Error{host + " port " + std::to_string(port) + ": " + speed.error()};
  return speed;
}

}  // namespace shingle
