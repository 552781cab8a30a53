#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "apps/system/child_process.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/reserved_ports.hpp"
#include "devices/weights/mapped_file.hpp"
#include "tests/apps/scratch_folder.hpp"

using namespace shingle;

namespace {

// Binds and listens as ZeroMQ does; -1 when the port is taken.
int listener_on(uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(descriptor, 4) == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

std::string wait_for_end(ChildProcess& child) {
  return child.ended(std::chrono::seconds(20)).value_or("it still runs");
}

}  // namespace

TEST_CASE("reserved ports differ and can be listened on while they are reserved") {
  const auto reserved = ReservedPorts::on_loopback(5);
  REQUIRE(reserved.ok());
  const auto& ports = reserved->ports();
  CHECK(std::set<uint16_t>(ports.begin(), ports.end()).size() == 5);
  for (const uint16_t port : ports) {
    const int listener = listener_on(port);
    CHECK(listener >= 0);
    CHECK(listener_on(port) < 0);  // one listener only
    ::close(listener);
  }
}

TEST_CASE("a child's exit code, output and death by signal are told") {
  const ScratchFolder folder;
  const auto shell = [&](const std::string& script) {
    return ChildProcess::start({.program = "/bin/sh",
                                .arguments = {"-c", script},
                                .output_file = folder / "out",
                                .error_file = folder / "err"});
  };
  auto three = shell("echo hello; exit 3");
  REQUIRE(three.ok());
  CHECK(wait_for_end(*three) == "exit code 3");
  std::string line;
  std::getline(std::ifstream(folder / "out"), line);
  CHECK(line == "hello");
  auto killed = shell("kill -9 $$");
  CHECK(wait_for_end(*killed) == "signal 9");
  auto stopped = shell("exec sleep 1000");
  stopped->ask_to_stop();
  stopped->wait_or_kill();
  CHECK(stopped->ended() == "signal 15");
}

TEST_CASE("a child does not have its parent's input, but an empty one") {
  const ScratchFolder folder;
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  const int own = ::dup(STDIN_FILENO);
  REQUIRE(::dup2(pipe[0], STDIN_FILENO) == STDIN_FILENO);
  auto child = ChildProcess::start({.program = "/bin/cat",
                                    .arguments = {},
                                    .output_file = folder / "out",
                                    .error_file = folder / "err"});
  ::dup2(own, STDIN_FILENO);
  REQUIRE(child.ok());
  CHECK(wait_for_end(*child) == "exit code 0");  // the pipe is open all the time
  for (const int each : {pipe[0], pipe[1], own}) ::close(each);
}

TEST_CASE("a mapped file shows the file's bytes, and what cannot be mapped says why") {
  const ScratchFolder folder;
  const auto file = MappedFile::open(folder.with_text("text", "abc"));
  REQUIRE(file.ok());
  CHECK(file->bytes().size() == 3);
  CHECK(file->bytes()[2] == std::byte{'c'});
  const std::string none = folder / "none";
  CHECK(MappedFile::open(none).error() == "cannot read '" + none + "': No such file or directory");
  CHECK(MappedFile::open(folder.path()).error().find("it is a folder") != std::string::npos);
  CHECK(MappedFile::open("/dev/null").error().find("not a regular file") != std::string::npos);
  CHECK(MappedFile::open(folder.with_text("empty", "")).error().find("empty") != std::string::npos);
}

TEST_CASE("the progress line shows share, rate and the time that is left") {
  using std::chrono::seconds;
  CHECK(progress_line(150, 300, seconds(10)) ==
        "[===============>              ]  150/300 frames  15.0 frames/s  10 s left");
  CHECK(progress_line(300, 300, seconds(10)) ==
        "[==============================]  300/300 frames  30.0 frames/s  0 s left");
  CHECK(progress_line(7, std::nullopt, seconds(2)) == "7 frames  3.5 frames/s");
  CHECK(progress_line(0, 10, seconds(0)).find("0/10") != std::string::npos);
}
