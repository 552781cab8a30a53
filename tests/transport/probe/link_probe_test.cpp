// The link probe over loopback, and with peers that break its protocol.
#include "transport/probe/link_probe.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace shingle {
namespace {

using std::chrono::milliseconds;

// Connects, sends so many random bytes and leaves.
void call_and_leave(uint16_t port, size_t bytes) {
  const int caller = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(caller, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  const std::string nonsense(bytes, 'x');
  CHECK(send(caller, nonsense.data(), nonsense.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(bytes));
  close(caller);
}

}  // namespace

TEST_CASE("a link is measured both ways, and a round trip") {
  auto answerer = LinkAnswerer::listen("127.0.0.1", 0);
  REQUIRE_MESSAGE(answerer.ok(), answerer.error());
  Status answered = success();
  std::thread peer([&] { answered = answerer->answer(milliseconds(30'000)); });
  const auto speed = measure_link("127.0.0.1", answerer->port(), milliseconds(100));
  peer.join();
  REQUIRE_MESSAGE(speed.ok(), speed.error());
  CHECK_MESSAGE(answered.ok(), answered.error());
  CHECK(speed->there_mbps > 100.0);  // loopback on any machine
  CHECK(speed->back_mbps > 100.0);
  CHECK(speed->round_trip_us > 0.1);
}

TEST_CASE("a caller that leaves in the middle is an error, not a hang") {
  for (const size_t bytes : {size_t{0}, size_t{7}, size_t{28}, size_t{100'000}}) {
    CAPTURE(bytes);
    auto answerer = LinkAnswerer::listen("127.0.0.1", 0);
    REQUIRE(answerer.ok());
    std::thread caller([&] { call_and_leave(answerer->port(), bytes); });
    const Status answered = answerer->answer(milliseconds(30'000));
    caller.join();
    CHECK_FALSE(answered.ok());
  }
}

TEST_CASE("where nobody answers the peer is named") {
  auto answerer = LinkAnswerer::listen("127.0.0.1", 0);
  REQUIRE(answerer.ok());
  const uint16_t port = answerer->port();
  CHECK(answerer->answer(milliseconds(1)).error().find("nobody asked") != std::string::npos);
  { const LinkAnswerer gone = std::move(*answerer); }
  const auto speed = measure_link("127.0.0.1", port, milliseconds(10));
  REQUIRE_FALSE(speed.ok());
  CHECK(speed.error().find("127.0.0.1 port " + std::to_string(port)) != std::string::npos);
}

}  // namespace shingle
