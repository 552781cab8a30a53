// Monitor: what happens to the connections below one socket. Belongs to that socket's thread.
#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

namespace shingle {

struct ConnectionEvent {
  enum class Kind : uint8_t { connected, disconnected };  // connected: both sides speak ZMTP
  Kind kind = Kind::connected;
  int descriptor = -1;  // of the connection; the system may give it to a later one
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
