// The loop, and how lines come and go. Arrivals: switchboard_in.cpp; sending: switchboard_out.cpp;
// keys: switchboard_keys.cpp; what ZeroMQ holds back: switchboard_backlog.cpp.
#include "transport/zmq/switchboard.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "transport/codec/greeting.hpp"
#include "transport/zmq/endpoint.hpp"
#include "transport/zmq/life.hpp"

namespace shingle {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_up_every{20};  // timers are as coarse as this
// A connection that begins or ends wakes this thread. Strangers can open thousands in a second, so
// this thread handles such events in batches.
constexpr milliseconds router_events_every{5};
constexpr milliseconds redial_after{100};  // of a line that was up: long enough for the node to act
constexpr milliseconds redial_after_refusal{1000};
constexpr milliseconds elsewhere_after{500};  // where a peer has several addresses
constexpr int last_words_ms = 200;
// Pieces in flight are bounded by credits; these bound what a peer without credits can pile up.
constexpr int queued_messages = 16'384;
constexpr int pending_connections = 64;
constexpr double strangers_a_second = 200.0, strangers_at_once = 1000.0;

int in_ms(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<milliseconds>(duration).count());
}

Greeting greeting_of(const ZmqOptions& options) {
  Greeting greeting{.session = draw_life(),
                    .node = options.id,
                    .name = options.name,
                    .members = {options.id},
                    .about = options.about};
  for (const PeerAddress& peer : options.peers) greeting.members.push_back(peer.id);
  std::ranges::sort(greeting.members);
  return greeting;
}

uint16_t port_of(zmq::socket_t& bound) {
  const std::string address = bound.get(zmq::sockopt::last_endpoint);
  return static_cast<uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

std::string bind_error(const ZmqOptions& options, const zmq::error_t& failure) {
  const std::string port = "port " + std::to_string(options.port) + " of " + options.host;
  if (failure.num() == EADDRINUSE)
    return "P" + port.substr(1) +
           " is in use by another program: stop that one, or give this node another port.";
  if (failure.num() == ENODEV || failure.num() == EADDRNOTAVAIL)
    return "This machine has no address " + options.host +
           ": give this node one that it has in the cluster file.";
  return "This node cannot listen on " + port + ": " + failure.what() + ".";
}

}  // namespace

Result<std::unique_ptr<Switchboard>> Switchboard::open(const Surroundings& with) {
  assert(std::ranges::find(with.options.peers, with.options.id, &PeerAddress::id) ==
         with.options.peers.end());
  assert(with.credentials == nullptr || with.credentials->node == with.options.id);
  try {
    std::unique_ptr<Switchboard> made(new Switchboard(with));
    if (const Status bound = made->bind(); !bound) return bound.failure();
    return made;
  } catch (const zmq::error_t& failure) {
    return Error{bind_error(with.options, failure)};
  }
}

Switchboard::Switchboard(const Surroundings& with)
    : with_(with),
      greeting_(greeting_of(with.options)),
      router_(with_.context, zmq::socket_type::router),
      strangers_{.answers = {strangers_a_second, strangers_at_once}, .next_note = {}} {
  for (const PeerAddress& peer : with_.options.peers)
    lines_[peer.id] = Line{.peer = peer, .dialled = with_.options.id < peer.id};
}

Status Switchboard::bind() {
  tune(router_);
  router_.set(zmq::sockopt::router_mandatory, true);
  router_.set(zmq::sockopt::backlog, pending_connections);
  if (with_.credentials != nullptr)
    if (Status guarded = guard(router_); !guarded) return guarded;
  auto monitor = Monitor::open(with_.context, router_, "router");
  if (!monitor) return Error{"This node cannot watch its port: " + monitor.error() + "."};
  router_monitor_ = std::move(monitor).value();
  router_.bind(endpoint(with_.options.host, with_.options.port));
  port_ = port_of(router_);
  return success();
}

// Sends nothing on the lines: peers see the connections end.
Switchboard::~Switchboard() {
  for (auto& [id, line] : lines_) hang_up(line);
}

void Switchboard::tune(zmq::socket_t& socket) const {
  socket.set(zmq::sockopt::linger, last_words_ms);
  socket.set(zmq::sockopt::maxmsgsize,
             static_cast<int64_t>(std::max(WireLimits::header_bytes, WireLimits::payload_bytes)));
  socket.set(zmq::sockopt::sndhwm, queued_messages);
  // Arrivals are bounded by the backlog. With a bound of its own ZeroMQ stops reading, and libzmq
  // 4.3.4 ends the process where a connection breaks just then and a heartbeat is due.
  socket.set(zmq::sockopt::rcvhwm, 0);
  socket.set(zmq::sockopt::heartbeat_ivl, in_ms(with_.options.heartbeat));
  socket.set(zmq::sockopt::heartbeat_timeout, in_ms(with_.options.silence_allowed));
  socket.set(zmq::sockopt::heartbeat_ttl, in_ms(with_.options.silence_allowed));
  socket.set(zmq::sockopt::handshake_ivl, in_ms(with_.options.greeting_allowed));
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::reconnect_ivl_max, 500);
  socket.set(zmq::sockopt::immediate, true);  // nothing waits for a connection that is not there
  socket.set(zmq::sockopt::ipv6, true);
}

void Switchboard::run() {
  assert(port_ != 0);
  for (bool open = true; open;) {
    times_.now = std::chrono::steady_clock::now();
    tick();
    poll();
    if (doorkeeper_) doorkeeper_->answer();
    hear_router_events();
    read_router();
    for (auto& [id, line] : lines_) {
      while (line.monitor) {
        const auto event = line.monitor->next();
        if (!event) break;
        on_event(line, *event);
      }
      if (line.socket) read_line(line);
    }
    look_at_backlogs();
    open = send_waiting();
  }
}

void Switchboard::hear_router_events() {
  while (const auto event = router_monitor_->next()) {
    on_router_event(*event);
    times_.next_router_events = times_.now + router_events_every;
  }
}

// Waits until a socket or the outbox has something, at most until the timers must be checked.
void Switchboard::poll() {
  polled_.clear();
  polled_.push_back({nullptr, with_.outbox.descriptor(), ZMQ_POLLIN, 0});
  polled_.push_back({router_.handle(), 0, ZMQ_POLLIN, 0});
  const bool hear_router = times_.now >= times_.next_router_events;
  if (hear_router) polled_.push_back({router_monitor_->socket().handle(), 0, ZMQ_POLLIN, 0});
  if (doorkeeper_) polled_.push_back({doorkeeper_->socket().handle(), 0, ZMQ_POLLIN, 0});
  for (auto& [id, line] : lines_) {
    assert((line.socket == nullptr) == (line.monitor == nullptr));
    if (!line.socket) continue;
    polled_.push_back({line.socket->handle(), 0, ZMQ_POLLIN, 0});
    polled_.push_back({line.monitor->socket().handle(), 0, ZMQ_POLLIN, 0});
  }
  zmq_poll(polled_.data(), static_cast<int>(polled_.size()),
           (hear_router ? look_up_every : router_events_every).count());
}

void Switchboard::tick() {
  if (doorkeeper_ && times_.now >= times_.next_list) heed_list();
  for (auto& [id, line] : lines_) {
    if (!line.dialled || times_.now < line.until) continue;
    if (line.stage == Stage::waiting) dial(line);
    if (line.stage == Stage::greeting)
      lose(line, "it takes the connection but does not say who it is", false);
    const bool elsewhere = line.stage == Stage::dialling && line.until <= times_.now &&
                           with_.addresses.has_another(line.peer.id, line.dialled_at);
    if (elsewhere) hang_up(line);  // and dial at the next turn
  }
}

void Switchboard::dial(Line& line) {
  assert(line.dialled && line.stage == Stage::waiting);
  assert(!line.socket && !line.monitor);
  if (doorkeeper_ && doorkeeper_->allowed().key_of(line.peer.id) == nullptr)
    return lose(line,
                "the list '" + with_.credentials->folder.allowed_path() + "' has no key of it",
                false);
  const std::optional<Address> address = with_.addresses.next(line.peer.id);
  if (!address) {
    lose(line, "nobody has announced where it is", false);
    line.until = times_.now + redial_after;  // looking again costs little
    return;
  }
  try {
    line.socket = std::make_unique<zmq::socket_t>(with_.context, zmq::socket_type::dealer);
    tune(*line.socket);
    if (doorkeeper_) show_key(line);
    auto monitor =
        Monitor::open(with_.context, *line.socket,
                      std::to_string(line.peer.id.value) + "-" + std::to_string(++line.dials));
    if (!monitor) return lose(line, monitor.error(), false);
    line.monitor = std::move(monitor).value();
    line.socket->connect(endpoint(address->host, address->port));
    line.stage = Stage::dialling;
    line.dialled_at = *address;
    line.until = times_.now + elsewhere_after;
  } catch (const zmq::error_t& failure) {
    lose(line, failure.what(), false);
  }
}

void Switchboard::hang_up(Line& line) {
  line.monitor.reset();
  line.socket.reset();
  if (line.dialled)
    backlogs_.end(line.descriptor);  // its monitor is gone, so no event will say that it ended
  line.descriptor = -1;
  if (!line.dialled && line.stage == Stage::up) answered_.erase(line.route);
  line.stage = Stage::waiting;
}

// `tell`: the other side can still be reached and gets the reason.
void Switchboard::lose(Line& line, const std::string& why, bool tell) {
  const bool was_up = line.stage == Stage::up;
  if (tell) say(line, Refusal{why});
  hang_up(line);
  line.until = times_.now + (was_up ? redial_after : redial_after_refusal);
  with_.presence.down(line.peer.id);
  if (!was_up && line.trouble == why) return;  // said before
  line.trouble = was_up ? std::string() : why;
  note_of(line, "The connection with " + title(line.peer.id, line.peer.name) +
                    (was_up ? " is lost: " : " does not come about: ") + why + ".");
  if (was_up) with_.inbox.push({.event = PeerLost{.peer = line.peer.id, .why = why}});
}

// Both sides have greeted.
void Switchboard::connect(Line& line, const Greeting& theirs) {
  assert(line.stage != Stage::up && theirs.node == line.peer.id);
  line.stage = Stage::up;
  if (line.dialled) with_.addresses.found(line.peer.id, line.dialled_at);
  line.session = theirs.session;
  line.messages = {with_.options.messages_allowed, with_.options.messages_allowed};
  with_.presence.up(line.peer.id, theirs.about);
  with_.inbox.push({.event = PeerSeen{.peer = line.peer.id}});
}

void Switchboard::on_event(Line& line, const ConnectionEvent& event) {
  assert(line.dialled);
  switch (event.kind) {
    case ConnectionEvent::Kind::opened:
      line.descriptor = event.descriptor;
      backlogs_.begin(line.descriptor);
      return;
    case ConnectionEvent::Kind::connected:
      if (line.stage != Stage::dialling) return;
      line.stage = Stage::greeting;
      line.until = times_.now + with_.options.greeting_allowed;
      say(line, greeting_);
      return;
    case ConnectionEvent::Kind::disconnected:
      backlogs_.end(event.descriptor);
      if (line.stage == Stage::up || line.stage == Stage::greeting)
        lose(line, "it closed the connection or fell silent", false);
      return;
    case ConnectionEvent::Kind::refused:
    case ConnectionEvent::Kind::failed:
      if (line.stage == Stage::dialling) note_failure(line, event.kind);
      return;
  }
}

void Switchboard::on_router_event(const ConnectionEvent& event) {
  if (event.kind == ConnectionEvent::Kind::opened) backlogs_.begin(event.descriptor);
  if (event.kind != ConnectionEvent::Kind::disconnected) return;
  backlogs_.end(event.descriptor);
  if (Line* line = line_with(event.descriptor); line != nullptr && !line->dialled)
    lose(*line, "it closed the connection or fell silent", false);
}

Switchboard::Line* Switchboard::line_with(int descriptor) {
  for (auto& [id, line] : lines_)
    if (line.stage == Stage::up && line.descriptor == descriptor) return &line;
  return nullptr;
}

void Switchboard::note(const std::string& sentence) {
  if (with_.options.on_note) with_.options.on_note(sentence);
}

// A member can come and go very often; the log must not fill with that.
void Switchboard::note_of(Line& line, const std::string& sentence) {
  if (!line.notes.take(times_.now)) {
    ++line.unsaid;
    return;
  }
  const uint64_t unsaid = std::exchange(line.unsaid, 0);
  note(unsaid == 0
           ? sentence
           : sentence + " (" + std::to_string(unsaid) + " more of the kind were not told.)");
}

// Strangers can call very often; the log must not fill with them.
void Switchboard::note_stranger(const std::string& sentence) {
  if (times_.now < strangers_.next_note) return;
  strangers_.next_note = times_.now + std::chrono::seconds(1);
  note(sentence);
}

}  // namespace shingle
