// Peers that do what no detector should: the others do not notice.
#include <sys/socket.h>

#include <unistd.h>

#include <filesystem>

#include "tests/serve/detector_client.hpp"
#include "tests/serve/serve_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;
using std::chrono::milliseconds;

namespace {

// A server without a model: limits come before it.
struct LimitedServer : TestServer {
  explicit LimitedServer(serve::ConnectionTimes times = {}, size_t connections = 64)
      : TestServer([&](ServePlan& plan, const ScratchFolder& in) {
          plan.http.reset();
          plan.frigate = serve::FrigateServerOptions{.endpoint = serve::IpcEndpoint{in / "socket"}};
          plan.frigate->times = times;
          plan.frigate->connections = connections;
        }) {}
  std::string path() const { return folder / "socket"; }
  void check_served() const {
    Detector detector("ipc://" + path());
    CHECK(detector.ask_for_model("none").header["model_available"] == false);
  }
};

}  // namespace

TEST_CASE("frames without an end, and bytes that are no ZMTP, end the connection") {
  const LimitedServer with;
  RawPeer endless(with.path());
  REQUIRE(endless.greet());
  const std::string frame = RawPeer::frame(std::string(100'000, 'x'), true);
  int sent = 0;
  while (sent < 100'000 && endless.send(frame)) ++sent;
  CHECK(sent < 4000);
  CHECK(becomes_true([&] { return with.notes.contain("more than 64 frames"); }));
  RawPeer huge(with.path());
  REQUIRE(huge.greet());
  huge.send(std::string("\3\0\0\1\0\0\0\0\0", 9));
  CHECK(huge.is_ended_by_server());
  CHECK(with.notes.contain("more than 192 MiB"));
  RawPeer browser(with.path());
  browser.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(browser.is_ended_by_server());
  CHECK(with.notes.contain("it does not speak ZMTP"));
  with.check_served();
}

TEST_CASE("peers that do not greet, or do not end their message, are disconnected") {
  const LimitedServer with({.greeting = milliseconds(200), .message = milliseconds(200)});
  RawPeer silent(with.path());
  RawPeer slow(with.path());
  REQUIRE(slow.greet());
  slow.send(RawPeer::frame("", true) + RawPeer::frame("header", true));
  CHECK(silent.is_ended_by_server());
  CHECK(slow.is_ended_by_server());
  CHECK(with.notes.contain("it did not greet in time"));
  CHECK(with.notes.contain("it did not end its message in time"));
  with.check_served();
}

TEST_CASE("a peer that never takes its answers is disconnected") {
  const LimitedServer with({.taking = milliseconds(300)});
  RawPeer deaf(with.path());
  REQUIRE(deaf.greet());
  // It asks again and again, and reads nothing.
  const std::string question = RawPeer::frame("", true) +
                               RawPeer::frame(R"({"model_request":true,"model_name":"x"})", false);
  int asked = 0;
  while (asked < 1'000'000 && deaf.send(question)) ++asked;
  CHECK(asked < 1'000'000);
  CHECK(becomes_true([&] { return with.notes.contain("it does not take its answer"); }));
  with.check_served();
}

TEST_CASE("messages that come ahead are answered before more is read, if their answers are taken") {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  serve::Budget budget(1 << 20);
  const auto now = std::chrono::steady_clock::now();
  serve::FrigateConnection connection(ends[0], budget, {}, now);
  constexpr size_t ahead = 20'000;  // messages of two bytes
  const std::string bytes = RawPeer::greeting() + std::string(2 * ahead, '\0');
  REQUIRE(::send(ends[1], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  size_t answered = 0, read_ahead = 0;
  char taken[4096];
  for (size_t turn = 0; answered < ahead && turn < 10 * ahead; ++turn) {
    if (connection.wants_to_read()) REQUIRE(connection.read(now).ok());
    if (connection.wants_to_write()) REQUIRE(connection.write(now).ok());
    while (::recv(ends[1], taken, sizeof taken, MSG_DONTWAIT) > 0) continue;
    read_ahead += connection.has_message() && connection.wants_to_read() ? 1 : 0;
    if (!connection.next_message()) continue;
    connection.answer({"answer"}, now);
    ++answered;
  }
  CHECK(answered == ahead);
  CHECK(read_ahead == 0);
  ::close(ends[1]);
}

TEST_CASE("more peers than may be are refused, and room comes back") {
  const LimitedServer with({.greeting = milliseconds(500)}, 3);
  std::vector<std::unique_ptr<RawPeer>> idle;
  for (int i = 0; i < 3; ++i) idle.push_back(std::make_unique<RawPeer>(with.path()));
  RawPeer surplus(with.path());
  CHECK(surplus.is_ended_by_server());
  CHECK(with.notes.contain("3 are connected, as many as may be"));
  for (auto& each : idle) CHECK(each->is_ended_by_server());
  with.check_served();
}

TEST_CASE("a peer that leaves while its model is awaited leaves nothing behind") {
  const LimitedServer with;
  for (int i = 0; i < 20; ++i) {
    Detector gone("ipc://" + with.path());
    gone.send({R"({"model_request":true,"model_name":"x"})"});
  }
  with.check_served();
}

TEST_CASE("endpoints that others reach need --expose, and what is none is named") {
  const auto error_of = [](const std::string& text) {
    const auto read = serve::read_frigate_endpoint(text, false);
    return read ? std::string() : read.error();
  };
  CHECK(error_of("ipc:///run/shingle/frigate").empty());
  CHECK(error_of("tcp://127.0.0.1:5555").empty());
  CHECK(error_of("tcp://[::1]:5555").empty());
  for (const char* open :
       {"tcp://*:5555", "tcp://0.0.0.0:5555", "tcp://10.0.0.1:5555", "tcp://[::]:5555"}) {
    CHECK_MESSAGE(error_of(open).find("add --expose") != std::string::npos, open);
    CHECK(serve::read_frigate_endpoint(open, true).ok());
  }
  for (const char* none :
       {"", "5555", "tcp://localhost:5555", "tcp://127.0.0.1", "tcp://127.0.0.1:x",
        "tcp://127.0.0.1:99999", "ipc://relative", "ipc://@abstract", "udp://127.0.0.1:1"})
    CHECK_MESSAGE(!error_of(none).empty(), none);
  CHECK(!error_of("ipc:///" + std::string(200, 'x')).empty());
  const ScratchFolder folder;
  const std::string file = folder.with_text("file", "mine");
  const auto listener = serve::Listener::open(serve::IpcEndpoint{file});
  REQUIRE(!listener.ok());
  CHECK(listener.error().find("is no socket") != std::string::npos);
  CHECK(contents(file) == "mine");
}
