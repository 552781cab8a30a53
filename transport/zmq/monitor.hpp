// Monitor: what happens to the connections below one socket. Belongs to that socket's thread.
#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

namespace shingle {

struct ConnectionEvent {
  // opened: TCP stands. connected: both sides speak ZMTP. refused: the other side said that it does
  // not let this one in. failed: the handshake ended otherwise.
  enum class Kind : uint8_t { opened, connected, disconnected, refused, failed };
  Kind kind = Kind::connected;
  // opened, disconnected: of the connection; the system may give it to a later one
  int descriptor = -1;
};

class Monitor {
 public:
  // `name` is unique within the context. `watched` must outlive the monitor. Throws zmq::error_t.
  Monitor(zmq::context_t& context, zmq::socket_t& watched, const std::string& name);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  std::optional<ConnectionEvent> next();  // none if nothing has happened
  zmq::socket_t& socket() { return events_; }

 private:
  zmq::socket_t& watched_;
  zmq::socket_t events_;
};

}  // namespace shingle
