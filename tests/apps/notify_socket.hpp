// What stands in for systemd in tests: its socket for services, and variables of the environment.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace shingle {

// A variable of this process, and so of the programs that it starts, for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// Stands in for systemd: the socket to which a service tells how it is.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : path_(path) {
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    REQUIRE(socket_ >= 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    const timeval wait{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  }
  ~NotifySocket() { ::close(socket_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  std::string next() {  // the next message; empty if none comes
    char text[4096];
    const ssize_t size = ::recv(socket_, text, sizeof(text), 0);
    return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
  }
  // Of the next messages the first that begins so; empty if none comes.
  std::string next_like(const std::string& begin) {
    for (int i = 0; i < 100; ++i) {
      std::string message = next();
      if (message.empty() || message.starts_with(begin)) return message;
    }
    return "";
  }

 private:
  std::string path_;
  int socket_ = -1;
};

}  // namespace shingle
