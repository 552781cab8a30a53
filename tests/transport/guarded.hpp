// Guarded: a member with keys on loopback, for tests. Notes: what it wrote to its log.
#pragma once

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>

#include "tests/transport/keys/key_scene.hpp"
#include "tests/transport/members.hpp"

namespace shingle::testing {

// Sentences that a transport noted, from any thread.
class Notes {
 public:
  std::function<void(const std::string&)> listener() {
    return [this](const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      text_ += sentence + "\n";
      changed_.notify_all();
    };
  }
  bool mention(const std::string& words) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough,
                             [&] { return text_.find(words) != std::string::npos; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

// A member with keys; what it notes is listened to.
struct Guarded : Member {
  Notes notes;
  Guarded(const KeyScene& keys, ZmqOptions options) {
    options.keys = keys.path();
    options.insecure = false;
    options.on_note = notes.listener();
    auto opened = ZmqTransport::open(std::move(options), inbox);
    REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error()));
    transport = std::move(opened).value();
  }
  ~Guarded() { transport.reset(); }  // its thread notes until then
  uint16_t port() const { return transport->port(); }
};

inline ZmqOptions dialling(uint32_t id, const std::vector<uint32_t>& members, uint32_t peer,
                           uint16_t port) {
  return options_of(id, members, {{peer, port}});
}

}  // namespace shingle::testing
