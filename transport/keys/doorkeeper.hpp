// Doorkeeper: answers ZeroMQ when it asks whether a connection may come in (ZAP, RFC 27), from the
// list of keys; and sees when the list changes.
//
//   stranger -- CURVE handshake --> ROUTER -- "this key?" --> Doorkeeper -- 200 or 400 --> ROUTER
//
// Belongs to the thread of the sockets that it guards.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <functional>
#include <string>
#include <zmq.hpp>

#include "transport/keys/key_folder.hpp"

namespace shingle {

class Doorkeeper {
 public:
  // What guarded sockets give as their domain.
  static constexpr const char* domain = "shingle";

  struct Notes {                                          // sentences for the log
    std::function<void(const std::string&)> on_stranger;  // who was refused: as often as they come
    std::function<void(const std::string&)> on_list;      // what is wrong with the list: once
  };
  // To be there before any guarded socket binds. Throws zmq::error_t.
  Doorkeeper(zmq::context_t& context, const Credentials& credentials, Notes notes);

  zmq::socket_t& socket() { return questions_; }
  void answer();  // whatever waits

  // Reads the list again if its file changed; true if it says something else now. What cannot be
  // read, or does not let this node itself in, leaves the list as it was, and is told.
  bool refresh();
  const Allowed& allowed() const { return allowed_; }

 private:
  struct Stamp {  // of the file; the folder's rights count as well
    ino_t number = 0;
    off_t size = 0;
    time_t written = 0, changed = 0;
    long written_ns = 0, changed_ns = 0;
    mode_t folder = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  Stamp stamp() const;
  bool adopt(Allowed fresh);
  void warn_of_no_end();

  const NodeId node_;
  const PublicKey own_;
  const KeyFolder folder_;
  Allowed allowed_;
  Stamp seen_;
  bool warned_ = false;
  const Notes notes_;
  zmq::socket_t questions_;
};

}  // namespace shingle
