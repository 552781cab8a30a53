// Keys: what sockets present and demand, and what a changed list means for standing lines.
#include <sys/socket.h>

#include <cassert>

#include "transport/codec/greeting.hpp"
#include "transport/zmq/switchboard.hpp"

namespace shingle {

namespace {

constexpr std::chrono::seconds look_at_list_every{1};

// The key of the connection on which the message came; empty if the connection has none.
PublicKey key_shown_by(const zmq::message_t& message) {
  zmq_msg_t* handle = const_cast<zmq_msg_t*>(message.handle());  // gets() reads only
  const char* shown = zmq_msg_gets(handle, "User-Id");
  return {shown != nullptr ? shown : ""};
}

}  // namespace

// The doorkeeper is made before the sockets bind and ends after them: where ZeroMQ finds none it
// lets everybody in. (Even then no key would come with a greeting, and check_identity() would
// refuse it.)
Status Switchboard::guard(zmq::socket_t& answering) {
  assert(with_.credentials != nullptr && !doorkeeper_);
  auto opened = Doorkeeper::open(
      with_.context, *with_.credentials,
      {.on_stranger = [this](const std::string& sentence) { note_stranger(sentence); },
       .on_list = [this](const std::string& sentence) { note(sentence); }});
  if (!opened) return Error{"This node cannot guard its port: " + opened.error() + "."};
  doorkeeper_ = std::move(opened).value();
  answering.set(zmq::sockopt::curve_server, true);
  answering.set(zmq::sockopt::curve_secretkey, with_.credentials->pair.secret);
  answering.set(zmq::sockopt::zap_domain, Doorkeeper::domain);
  return success();
}

void Switchboard::show_key(Line& line) {
  assert(doorkeeper_ && line.socket);
  const PublicKey* key = doorkeeper_->allowed().key_of(line.peer.id);
  assert(key != nullptr);
  line.key = *key;
  line.socket->set(zmq::sockopt::curve_serverkey, line.key.z85);
  line.socket->set(zmq::sockopt::curve_publickey, with_.credentials->pair.open.z85);
  line.socket->set(zmq::sockopt::curve_secretkey, with_.credentials->pair.secret);
}

// A peer whose key has left the list, or has changed, loses its connection.
void Switchboard::heed_list() {
  assert(doorkeeper_);
  times_.next_list = times_.now + look_at_list_every;
  if (!doorkeeper_->refresh()) return;
  for (auto& [id, line] : lines_) {
    const PublicKey* key = doorkeeper_->allowed().key_of(id);
    const bool same = key != nullptr && *key == line.key;
    if (!same && line.stage != Stage::waiting) shut_out(line);
    if (!same) line.until = times_.now;  // with another key it may be let in at once
  }
}

// ZeroMQ cannot end a connection that came in, so the system shuts its socket down.
void Switchboard::shut_out(Line& line) {
  assert(line.stage != Stage::waiting);
  const int descriptor = line.dialled ? -1 : line.descriptor;
  lose(line, "its key was revoked", false);
  if (descriptor >= 0) ::shutdown(descriptor, SHUT_RDWR);
}

// Who greets must hold the key of the node whose id it gives.
Status Switchboard::check_identity(const Greeting& theirs, const Frames& frames) const {
  if (!doorkeeper_) return success();
  const auto holder = doorkeeper_->allowed().node_of(key_shown_by(frames.header));
  if (!holder) return Error{"its key was revoked"};
  if (*holder == theirs.node) return success();
  return Error{title(*holder, "") + " says that it is " + title(theirs.node, theirs.name)};
}

void Switchboard::note_failure(Line& line, ConnectionEvent::Kind kind) {
  assert(kind == ConnectionEvent::Kind::refused || kind == ConnectionEvent::Kind::failed);
  if (kind == ConnectionEvent::Kind::refused)
    return lose(line, "its list has another key for this node, or none: copy the list there",
                false);
  lose(line,
       with_.credentials != nullptr
           ? "no secure connection: it runs --insecure, or has another key than '" +
                 with_.credentials->folder.allowed_path() + "' says"
           : "it hung up in the handshake: it may have keys, and this node runs --insecure",
       false);
}

}  // namespace shingle
