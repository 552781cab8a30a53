// Monitor: what happens to the connections below one socket. Belongs to that socket's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "partition/base/result.hpp"

namespace shingle {

struct ConnectionEvent {
  // opened: the TCP connection stands. connected: the ZMTP handshake succeeded. refused: the other
  // side does not let this one in. failed: the handshake failed for another reason.
  enum class Kind : uint8_t { opened, connected, disconnected, refused, failed };
  Kind kind = Kind::connected;
  // opened, disconnected: of the connection. The system may give the number to a later connection.
  int descriptor = -1;
};

class Monitor {
 public:
  // `watched` must outlive the monitor. The error is what ZeroMQ says.
  // REQUIRES: `name` is not empty and unique within the context.
  static Result<std::unique_ptr<Monitor>> open(zmq::context_t& context, zmq::socket_t& watched,
                                               const std::string& name);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  std::optional<ConnectionEvent> next();  // none if nothing has happened
  zmq::socket_t& socket() { return events_; }

 private:
  // Throws zmq::error_t.
  Monitor(zmq::context_t& context, zmq::socket_t& watched, const std::string& name);

  zmq::socket_t& watched_;
  zmq::socket_t events_;
};

}  // namespace shingle
