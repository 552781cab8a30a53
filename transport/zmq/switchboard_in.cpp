// Arrivals: from frames to packets to the inbox.
#include <algorithm>
#include <cassert>
#include <memory>

#include "transport/codec/frame_checksum.hpp"
#include "transport/codec/greeting.hpp"
#include "transport/zmq/switchboard.hpp"

namespace shingle {

namespace {

constexpr int messages_per_turn = 64;  // of one socket, so that none starves the others

std::span<const std::byte> bytes_of(const zmq::message_t& message) {
  return {message.data<std::byte>(), message.size()};
}

int descriptor_of(const zmq::message_t& received) {
  return zmq_msg_get(const_cast<zmq_msg_t*>(received.handle()), ZMQ_SRCFD);
}

}  // namespace

// False if no message waits. Surplus frames of a message are read and counted, then dropped.
bool Switchboard::receive(zmq::socket_t& socket, bool routed, Frames& frames) const {
  constexpr auto now_or_not = zmq::recv_flags::dontwait;  // frames of one message arrive together
  const bool encrypted = doorkeeper_ != nullptr;
  frames.count = 0;
  frames.wire_bytes = 0;
  if (routed && !socket.recv(frames.route, now_or_not)) return false;
  if (routed && !frames.route.more()) return true;
  if (!socket.recv(frames.header, now_or_not)) return routed;
  frames.count = 1;
  frames.wire_bytes = wire_bytes(frames.header.size(), encrypted);
  frames.payload.rebuild();
  bool more = frames.header.more();
  while (more) {
    zmq::message_t surplus;
    zmq::message_t& frame = ++frames.count == 2 ? frames.payload : surplus;
    more = socket.recv(frame, now_or_not).has_value() && frame.more();
    frames.wire_bytes += wire_bytes(frame.size(), encrypted);
  }
  return true;
}

void Switchboard::read_line(Line& line) {
  assert(line.socket);
  Frames frames;
  for (int i = 0; i < messages_per_turn && line.socket; ++i) {
    if (!receive(*line.socket, false, frames)) return;
    hand_over(line.descriptor, frames);
    take_in(line, frames);
  }
}

void Switchboard::read_router() {
  Frames frames;
  for (int i = 0; i < messages_per_turn; ++i) {
    if (!receive(router_, true, frames)) return;
    const auto line = answered_.find(frames.route.to_string());
    const bool known = line != answered_.end();
    hand_over(known ? line->second->descriptor : descriptor_of(frames.header), frames);
    if (known)
      take_in(*line->second, frames);
    else
      answer_stranger(frames);
  }
}

void Switchboard::hand_over(int descriptor, const Frames& frames) {
  backlogs_.hand_over(descriptor, frames.wire_bytes);
}

// The checksum is tested before anything else is read: any byte may be wrong.
Result<Packet> Switchboard::open(const Frames& frames) {
  if (frames.count != 1 && (frames.count != 2 || frames.payload.empty()))
    return Error{"a message of " + std::to_string(frames.count) + " frames"};
  const auto header = without_checksum(bytes_of(frames.header), bytes_of(frames.payload));
  if (header) return decoder_.decode(*header, frames.payload.size());
  ++with_.traffic.corrupted;
  return Error{"a message that was corrupted on its way: its checksum is wrong"};
}

// A connection delivers all messages in order, or it ends. So after a bad message both sides begin
// a new session, and frames that were open are begun again, as often as a frame may be.
void Switchboard::take_in(Line& line, Frames& frames) {
  Result<Packet> packet = open(frames);
  if (packet) return take_in(line, std::move(packet).value(), frames);
  ++with_.traffic.refused;
  lose(line, "it sent " + packet.error(), true);
}

void Switchboard::take_in(Line& line, Packet packet, Frames& frames) {
  if (const auto* greeting = std::get_if<Greeting>(&packet.content))
    return take_in_greeting(line, *greeting);
  if (const auto* refusal = std::get_if<Refusal>(&packet.content))
    return lose(line, refusal->why, false);
  if (line.stage != Stage::up || packet.envelope.from != line.peer.id) {
    ++with_.traffic.refused;
    return lose(line, "it spoke before it greeted, or in another's name", true);
  }
  if (!line.messages.take(times_.now)) {
    ++with_.traffic.refused;
    return lose(line, "it sends more messages than any node has use for", true);
  }
  ++with_.traffic.messages_received;
  with_.traffic.bytes_received += frames.header.size() + frames.payload.size();
  MessageReceived received{.envelope = packet.envelope,
                           .message = std::get<Message>(std::move(packet.content)),
                           .payload_bytes = static_cast<int64_t>(frames.payload.size())};
  Payload payload;
  if (!frames.payload.empty()) {
    auto owner = std::make_shared<zmq::message_t>(std::move(frames.payload));
    payload.bytes = bytes_of(*owner);
    payload.owner = std::move(owner);
  }
  const bool taken =
      with_.inbox.push({.event = std::move(received), .payload = std::move(payload)});
  if (taken || with_.inbox.closed()) return;
  ++with_.traffic.refused;
  lose(line, "it sends more than it was allowed", true);
}

// The answer to our greeting, on a line that this side dialled.
void Switchboard::take_in_greeting(Line& line, const Greeting& theirs) {
  if (line.stage != Stage::greeting) return lose(line, "it greeted twice", true);
  if (const Status fits = check_greeting(greeting_, theirs); !fits)
    return lose(line, fits.error(), true);
  if (theirs.node != line.peer.id)
    return lose(line, title(theirs.node, theirs.name) + " answers at its address", true);
  connect(line, theirs);
}

void Switchboard::answer_stranger(Frames& frames) {
  if (!strangers_.answers.take(times_.now)) {
    ++with_.traffic.refused;
    return;
  }
  Result<Packet> packet = open(frames);
  const Greeting* theirs = packet ? std::get_if<Greeting>(&packet->content) : nullptr;
  if (theirs != nullptr) return welcome(*theirs, frames);
  ++with_.traffic.refused;
  if (packet && std::holds_alternative<Message>(packet->content)) remind(frames);
  note_stranger("A stranger was not let in: it sent " +
                (packet ? "something else before a greeting" : packet.error()) + ".");
}

// This side may have ended a connection without telling the peer, because its queue was full. The
// peer still uses it; now there may be room to tell it.
void Switchboard::remind(const Frames& frames) {
  Line visitor;
  visitor.route = frames.route.to_string();
  say(visitor, Refusal{"it has to greet before it speaks"});
}

// A caller's greeting: its line goes up, or the caller is told why not.
void Switchboard::welcome(const Greeting& theirs, const Frames& frames) {
  // A connection that ended may have had this descriptor, and its end may not have been read yet.
  hear_router_events();
  if (const Status welcome = check_welcome(theirs, frames); !welcome)
    return refuse(theirs, frames, welcome.error());
  Line& line = lines_.at(theirs.node);
  if (!line.beginnings.take(times_.now))
    return refuse(theirs, frames, "it dials more often than anybody has reason to");
  if (line.stage == Stage::up) lose(line, "it dialled again", false);
  line.route = frames.route.to_string();
  line.descriptor = descriptor_of(frames.header);
  if (doorkeeper_) line.key = *doorkeeper_->allowed().key_of(theirs.node);
  if (!say(line, greeting_)) return;  // it has hung up already
  answered_[line.route] = &line;
  connect(line, theirs);
}

Status Switchboard::check_welcome(const Greeting& theirs, const Frames& frames) const {
  if (Status believed = check_identity(theirs, frames); !believed) return believed;
  if (Status fits = check_greeting(greeting_, theirs); !fits) return fits;
  const Line& line = lines_.at(theirs.node);  // a member, and not this node
  if (line.dialled)
    return Error{"the lower id dials, and that is " + title(with_.options.id, with_.options.name)};
  if (line.stage == Stage::up && line.session != theirs.session)
    return Error{title(theirs.node, theirs.name) +
                 " is connected already: ids in a cluster file are unique"};
  return success();
}

void Switchboard::refuse(const Greeting& theirs, const Frames& frames, const std::string& why) {
  Line visitor{.peer = {.id = theirs.node, .name = theirs.name}};
  visitor.route = frames.route.to_string();
  ++with_.traffic.refused;
  say(visitor, Refusal{why});
  note_stranger("A connection was refused: " + why + ".");
}

}  // namespace shingle
