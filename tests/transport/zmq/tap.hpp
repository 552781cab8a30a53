// Tap: a relay on loopback that records every byte between two nodes, and may change some of them.
//
//   dialler --> [listener .. thread .. connection] --> answerer
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace shingle::testing {

class Tap {
 public:
  using Meddle =
      std::function<void(std::span<char>)>;  // changes bytes that pass; on the tap's thread

  explicit Tap(uint16_t target, Meddle meddle = {})
      : target_(target), meddle_(std::move(meddle)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener_, 4) == 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { relay(); });
  }
  ~Tap() {
    over_ = true;
    thread_.join();
    for (const int end : ends_)
      if (end >= 0) ::close(end);
    ::close(listener_);
  }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  uint16_t port() const { return port_; }
  std::string heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  static sockaddr_in loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  // The ends of one connection are 2i and 2i + 1.
  void relay() {
    while (!over_) {
      std::vector<pollfd> polled{{listener_, POLLIN, 0}};
      for (const int end : ends_) polled.push_back({end, POLLIN, 0});
      if (::poll(polled.data(), polled.size(), 20) <= 0) continue;
      for (size_t i = 1; i < polled.size(); ++i)
        if (polled[i].revents != 0 && ends_[i - 1] >= 0) pass_on(i - 1);
      if (polled[0].revents != 0) join();
    }
  }
  void join() {
    const int caller = ::accept(listener_, nullptr, nullptr);
    const int called = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(target_);
    if (::connect(called, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      ::shutdown(caller, SHUT_RDWR);
    ends_.push_back(caller);
    ends_.push_back(called);
  }
  void pass_on(size_t end) {
    char bytes[65536];
    const ssize_t count = ::recv(ends_[end], bytes, sizeof bytes, 0);
    const int other = ends_[end ^ 1];
    if (count <= 0) {  // poll() ignores negative descriptors
      for (int* gone : {&ends_[end], &ends_[end ^ 1]}) {
        if (*gone >= 0) ::close(*gone);
        *gone = -1;
      }
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      heard_.append(bytes, static_cast<size_t>(count));
    }
    if (meddle_) meddle_({bytes, static_cast<size_t>(count)});
    for (ssize_t done = 0; done < count;) {
      const ssize_t sent =
          ::send(other, bytes + done, static_cast<size_t>(count - done), MSG_NOSIGNAL);
      if (sent <= 0) return;
      done += sent;
    }
  }

  const uint16_t target_;
  const Meddle meddle_;
  const int listener_;
  uint16_t port_ = 0;
  std::vector<int> ends_;
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  std::string heard_;
  std::thread thread_;
};

}  // namespace shingle::testing
