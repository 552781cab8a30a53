// Streams over RTSP from GStreamer's server, which is stopped and started again.
#include "apps/vision/media/network_stream.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "apps/vision/media_in.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/places.hpp"

using namespace shingle;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

// The server as a child process; none where it is not installed.
class RtspServer {
 public:
  explicit RtspServer(int port = 0, int width = 160)
      : process_({source_folder() + "/tests/apps/vision/rtsp_server.py", std::to_string(port),
                  std::to_string(width)},
                 {}, "/usr/bin/python3") {
    REQUIRE(becomes_true([this] {
      return !process_.out_lines().empty() || process_.process().ended().has_value();
    }));
    const auto lines = process_.out_lines();
    if (!lines.empty()) port_ = std::stoi(lines[0]);
    if (lines.empty()) reason_ = process_.err();
  }
  bool is_there() const {
    if (port_ == 0) MESSAGE("skipped: no GStreamer RTSP server: ", reason_);
    return port_ != 0;
  }
  int port() const { return port_; }
  std::string url() const { return "rtsp://127.0.0.1:" + std::to_string(port_) + "/live"; }
  void kill() {
    ::kill(process_.process().id(), SIGKILL);
    CHECK(process_.end() == "signal 9");
  }

 private:
  Program process_;
  int port_ = 0;
  std::string reason_{};
};

constexpr ReconnectOptions hasty{.silence = milliseconds(3000),
                                 .first_wait = milliseconds(50),
                                 .longest_wait = milliseconds(200),
                                 .patience = milliseconds(30000)};

// REQUIRES: the stream goes on.
TimedPicture next_of(NetworkStream& stream) {
  auto picture = stream.next({});
  REQUIRE_MESSAGE(picture.ok(), picture.error());
  REQUIRE(picture->has_value());
  return std::move(**picture);
}

// Listens and never answers.
class SilentServer {
 public:
  SilentServer() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    ::bind(socket_, reinterpret_cast<const sockaddr*>(&address_), size);
    ::listen(socket_, 4);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &size);
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  std::string url() const {
    return "rtsp://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/live";
  }

 private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

}  // namespace

TEST_CASE("stream time is the source's own, and the time of arrival over gaps and jumps") {
  StreamClock clock;
  CHECK(clock.next(100.0, 7.0) == 0.0);
  CHECK(clock.next(100.04, 7.5) == doctest::Approx(0.04));    // late on the way
  CHECK(clock.next(100.08, 7.501) == doctest::Approx(0.08));  // and caught up
  clock.begin_anew();
  CHECK(clock.next(3.0, 12.501) == doctest::Approx(5.08));
  CHECK(clock.next(3.04, 12.6) == doctest::Approx(5.12));
  CHECK(clock.next(900.0, 12.7) == doctest::Approx(5.22));          // a jump
  CHECK(clock.next(1.0, 12.8) == doctest::Approx(5.32));            // back
  CHECK(clock.next(1.0, 12.8) == doctest::Approx(5.321));           // it always grows
  CHECK(clock.next(std::nullopt, 13.0) == doctest::Approx(5.521));  // without times
}

TEST_CASE("an RTSP stream that was lost comes back, and its time goes on over the gap") {
  std::optional<RtspServer> server(std::in_place);
  if (!server->is_there()) return;
  auto stream = NetworkStream::open(server->url(), hasty);
  REQUIRE_MESSAGE(stream.ok(), stream.error());
  double last = next_of(*stream).seconds;
  CHECK(last == 0.0);
  for (int i = 1; i < 25; ++i) {
    const TimedPicture picture = next_of(*stream);
    CHECK(picture.image.size() == cv::Size(160, 120));
    CHECK(picture.seconds > last);
    last = picture.seconds;
  }
  CHECK(last == doctest::Approx(24.0 / 25.0).epsilon(0.1));
  const auto arrived = Clock::now();
  const int port = server->port();
  server->kill();
  server.emplace(port);
  double gap = 0.0;
  do {  // what was on the way
    const double seconds = next_of(*stream).seconds;
    gap = seconds - last;
    last = seconds;
  } while (gap < 0.2);
  const std::chrono::duration<double> waited = Clock::now() - arrived;
  CHECK(gap <= waited.count() + 0.1);
  CHECK(gap >= waited.count() - 1.0);  // pictures that were on the way
  CHECK(next_of(*stream).seconds - last < 0.2);
}

TEST_CASE("a stream that does not come, or not back, ends with one sentence") {
  const SilentServer silent;
  const auto never = NetworkStream::open(silent.url(), {.first_picture = milliseconds(300)});
  REQUIRE_FALSE(never.ok());
  CHECK(never.error() == "cannot open '" + silent.url() + "': nothing came for 0.3 s");
  CHECK(never.failure().kind == ErrorKind::bad_input);

  std::optional<RtspServer> server(std::in_place);
  if (!server->is_there()) return;
  const std::string url = server->url();
  const auto nowhere = NetworkStream::open(url + "x", hasty);
  REQUIRE_FALSE(nowhere.ok());
  CHECK_MESSAGE(nowhere.error().find("404") != std::string::npos, nowhere.error());
  ReconnectOptions options = hasty;
  options.patience = milliseconds(400);
  auto stream = NetworkStream::open(url, options);
  REQUIRE_MESSAGE(stream.ok(), stream.error());
  server->kill();
  auto picture = stream->next({});
  while (picture && *picture) picture = stream->next({});
  REQUIRE_FALSE(picture.ok());
  CHECK(picture.error() == "'" + url + "' was lost and did not come back: Connection refused");
}

TEST_CASE("a stream that comes back with another size ends with one sentence") {
  std::optional<RtspServer> server(std::in_place);
  if (!server->is_there()) return;
  const std::string url = server->url();
  const int port = server->port();
  auto stream = NetworkStream::open(url, hasty);
  REQUIRE_MESSAGE(stream.ok(), stream.error());
  server->kill();
  server.emplace(port, 192);
  auto picture = stream->next({});
  while (picture && *picture) picture = stream->next({});
  REQUIRE_FALSE(picture.ok());
  CHECK(picture.error() ==
        "'" + url + "' came back with pictures of another size; begin a new run");
}

TEST_CASE("a run goes on when its camera was away, and ends at once when it is asked to") {
  std::optional<RtspServer> server(std::in_place);
  if (!server->is_there()) return;
  const int port = server->port();
  const ScratchFolder folder;
  Program run({"run", model_in(folder), server->url(), "--workers", "1", "--json", "--out",
               folder / "out.mp4"});
  REQUIRE(becomes_true([&] { return run.out_lines().size() >= 10; }));
  server->kill();
  REQUIRE(becomes_true([&] { return has(run.err(), "lost 'rtsp://"); }));
  server.emplace(port);
  REQUIRE(becomes_true([&] { return has(run.err(), "is back after"); }));
  const size_t lines = run.out_lines().size();
  REQUIRE(becomes_true([&] { return run.out_lines().size() >= lines + 10; }));
  server->kill();  // it waits for the stream when the signal comes
  REQUIRE(becomes_true([&] { return run.err_lines() == 3; }));
  ::kill(run.process().id(), SIGINT);
  CHECK_MESSAGE(run.end() == "exit code 0", run.err());
}
