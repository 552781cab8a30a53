// Sending: messages of the outbox, and the connection's own ones, go to the wires.
#include <cassert>
#include <cerrno>
#include <cstring>

#include "transport/codec/frame_checksum.hpp"
#include "transport/zmq/switchboard.hpp"

namespace shingle {

namespace {

// zmq_msg_send without exceptions: a full queue or a peer that has gone is expected here.
bool send_frame(zmq::socket_t& socket, zmq::message_t& frame, bool more) {
  const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
  return zmq_msg_send(frame.handle(), socket.handle(), flags) >= 0;
}

}  // namespace

bool Switchboard::send_waiting() {
  const bool open = with_.outbox.take(load_);
  for (Departure& message : load_.departures) {
    const auto line = lines_.find(message.to);
    if (line == lines_.end() || line->second.stage != Stage::up)
      ++with_.traffic.unsent;
    else
      send(line->second, std::move(message.header), std::move(message.payload));
  }
  load_.departures.clear();
  for (const NodeId peer : load_.short_of) {
    const auto line = lines_.find(peer);
    if (line != lines_.end() && line->second.stage == Stage::up)
      lose(line->second, "more is to be sent than the sockets can take", true);
  }
  return open;
}

void Switchboard::send(Line& line, zmq::message_t header, zmq::message_t payload) {
  assert(line.stage == Stage::up);
  const size_t bytes = header.size() + payload.size();
  if (put_on_wire(line, header, payload)) {
    ++with_.traffic.messages_sent;
    with_.traffic.bytes_sent += bytes;
    return;
  }
  ++with_.traffic.unsent;
  const bool full = errno == EAGAIN;
  lose(line, full ? "it takes no more messages" : "it has gone", full);
}

// False with errno: EAGAIN if the queue is full, EHOSTUNREACH if the connection has ended. Only the
// first frame of a message can fail.
bool Switchboard::put_on_wire(Line& line, zmq::message_t& header, zmq::message_t& payload) {
  assert(!line.dialled || line.socket);
  assert(header.size() > 0);
  zmq::socket_t& socket = line.dialled ? *line.socket : router_;
  if (!line.dialled) {
    zmq::message_t route(line.route.data(), line.route.size());
    if (!send_frame(socket, route, true)) return false;
  }
  const bool more = !payload.empty();
  if (!send_frame(socket, header, more)) return false;
  return !more || send_frame(socket, payload, false);
}

// The connection's own messages. False if there is no connection to send it on.
template <class Content>
bool Switchboard::say(Line& line, const Content& content) {
  if (line.dialled && !line.socket) return false;
  zmq::message_t header = header_of(content), none;
  return put_on_wire(line, header, none);
}
template bool Switchboard::say(Line&, const Greeting&);
template bool Switchboard::say(Line&, const Refusal&);

zmq::message_t Switchboard::header_of(const Greeting& greeting) {
  return with_checksum(encoder_.encode(Envelope{.from = with_.options.id}, greeting));
}
zmq::message_t Switchboard::header_of(const Refusal& refusal) {
  return with_checksum(encoder_.encode(Envelope{.from = with_.options.id}, refusal));
}

}  // namespace shingle
