// Doorkeeper: answers ZeroMQ when it asks whether a connection may come in (ZAP, RFC 27), from the
// list of keys; and sees when the list changes.
//
//   stranger -- CURVE handshake --> ROUTER -- "this key?" --> Doorkeeper -- 200 or 400 --> ROUTER
//
// Belongs to the thread of the sockets that it guards.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <zmq.hpp>

#include "transport/key_folder.hpp"

namespace shingle {

class Doorkeeper {
 public:
  // What guarded sockets give as their domain.
  static constexpr const char* domain = "shingle";

  // To be there before any guarded socket binds. `on_stranger`: a sentence about who was refused.
  // Throws zmq::error_t.
  Doorkeeper(zmq::context_t& context, KeyFolder folder, Allowed allowed,
             std::function<void(const std::string&)> on_stranger);

  zmq::socket_t& socket() { return questions_; }
  void answer();  // whatever waits

  // Reads the list again if its file changed; true if it says something else now. What cannot be
  // read leaves the list as it was, and is told.
  bool refresh();
  const Allowed& allowed() const { return allowed_; }

 private:
  struct Stamp {  // of the file
    std::filesystem::file_time_type written{};
    uintmax_t size = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  Stamp stamp() const;

  const KeyFolder folder_;
  Allowed allowed_;
  Stamp seen_;
  std::function<void(const std::string&)> on_stranger_;
  zmq::socket_t questions_;
};

}  // namespace shingle
