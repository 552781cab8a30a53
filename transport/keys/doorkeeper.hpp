// Doorkeeper: tells ZeroMQ, by the list of keys, whether a connection may come in (ZAP, RFC 27),
// and notices when the list changes.
//
//   stranger -- CURVE handshake --> ROUTER -- "this key?" --> Doorkeeper -- 200 or 400 --> ROUTER
//
// Belongs to the thread of the sockets that it guards.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "transport/keys/key_folder.hpp"

namespace shingle {

class Doorkeeper {
 public:
  // The ZAP domain of guarded sockets.
  static constexpr const char* domain = "shingle";

  struct Notes {                                          // sentences for the log
    std::function<void(const std::string&)> on_stranger;  // who was refused: each time
    std::function<void(const std::string&)> on_list;      // what is wrong with the list: once
  };
  // Must exist before any guarded socket binds, and outlive it. The error is what ZeroMQ says.
  // REQUIRES: both notes can be called; the credentials' list names their own key.
  static Result<std::unique_ptr<Doorkeeper>> open(zmq::context_t& context,
                                                  const Credentials& credentials, Notes notes);

  zmq::socket_t& socket() { return questions_; }
  void answer();  // every question that waits

  // Reads the list again if its file changed; true if its members changed. A list that cannot be
  // read, or that lacks this node's own key, is not taken: the old one stays, and a note says why.
  bool refresh();
  const Allowed& allowed() const { return allowed_; }  // names this node's own key, always

 private:
  struct Stamp {  // tells one state of the file, and of the folder's rights, from another
    ino_t number = 0;
    off_t size = 0;
    std::chrono::nanoseconds written{}, changed{};  // since 1970
    mode_t folder = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  // Throws zmq::error_t.
  Doorkeeper(zmq::context_t& context, const Credentials& credentials, Notes notes);
  Stamp stamp() const;
  bool adopt(Allowed fresh);
  void warn_of_no_end();

  const NodeId node_;
  const PublicKey own_;
  const KeyFolder folder_;
  Allowed allowed_;
  Stamp seen_{};        // of the list that was read last; at first none
  std::string unread_;  // why the list cannot be read now, as last noted
  bool warned_ = false;
  const Notes notes_;
  zmq::socket_t questions_;
};

}  // namespace shingle
