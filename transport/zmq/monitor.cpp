#include "transport/zmq/monitor.hpp"

#include <cassert>
#include <cstring>

namespace shingle {

namespace {

ConnectionEvent::Kind kind_of(uint16_t number) {
  switch (number) {
    case ZMQ_EVENT_ACCEPTED:
    case ZMQ_EVENT_CONNECTED:
      return ConnectionEvent::Kind::opened;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return ConnectionEvent::Kind::connected;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      return ConnectionEvent::Kind::refused;
    case ZMQ_EVENT_DISCONNECTED:
      return ConnectionEvent::Kind::disconnected;
    default:
      return ConnectionEvent::Kind::failed;
  }
}

}  // namespace

Result<std::unique_ptr<Monitor>> Monitor::open(zmq::context_t& context, zmq::socket_t& watched,
                                               const std::string& name) {
  assert(!name.empty());
  try {
    return std::unique_ptr<Monitor>(new Monitor(context, watched, name));
  } catch (const zmq::error_t& failure) {
    return Error{failure.what()};
  }
}

Monitor::Monitor(zmq::context_t& context, zmq::socket_t& watched, const std::string& name)
    : watched_(watched), events_(context, zmq::socket_type::pair) {
  const std::string endpoint = "inproc://monitor-" + name;
  const int kinds = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                    ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
  if (zmq_socket_monitor(watched_.handle(), endpoint.c_str(), kinds) != 0) throw zmq::error_t();
  events_.set(zmq::sockopt::linger, 0);
  events_.connect(endpoint);
}

Monitor::~Monitor() { zmq_socket_monitor(watched_.handle(), nullptr, 0); }

// Two frames (zmq_socket_monitor(3)): event number in 16 bits and value in 32, then the address.
std::optional<ConnectionEvent> Monitor::next() {
  zmq::message_t event, address;
  if (!events_.recv(event, zmq::recv_flags::dontwait)) return std::nullopt;
  if (!events_.recv(address) || event.size() < 6) return std::nullopt;
  uint16_t number = 0;
  int32_t value = 0;
  std::memcpy(&number, event.data<std::byte>(), sizeof number);
  std::memcpy(&value, event.data<std::byte>() + sizeof number, sizeof value);
  return ConnectionEvent{kind_of(number), value};
}

}  // namespace shingle
