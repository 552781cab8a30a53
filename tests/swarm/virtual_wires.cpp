#include "tests/swarm/virtual_wires.hpp"

#include <algorithm>

#include "transport/codec/frame_checksum.hpp"

namespace shingle::swarm {

namespace {

using std::chrono::milliseconds;

// As transport/zmq/switchboard.cpp has them.
constexpr milliseconds redial_after{100}, redial_after_refusal{1000};

std::span<const std::byte> bytes_of(const zmq::message_t& message) {
  return {message.data<std::byte>(), message.size()};
}

int64_t size_of(const Departure& message) {
  return static_cast<int64_t>(message.header.size() + message.payload.size());
}

}  // namespace

// --- processes ---

void VirtualWires::join(NodeId id, Process process) {
  process.session = ++sessions_;
  if (std::ranges::find(members_, id) == members_.end()) members_.push_back(id);
  processes_[id] = std::move(process);
  const bool was_dark = std::exchange(dark_[id], false);
  for (const NodeId peer : members_) {
    if (peer == id) continue;
    // Its machine knows nothing of the connections of the process before.
    const End& old = ends_[{peer, id}];
    if (was_dark && old.up) put_on(id, peer, {.connection = old.connection, .ends = true});
    if (was_dark) unblock(id, peer), unblock(peer, id);
    dial_in(options_.latency, std::min(id, peer), std::max(id, peer));
  }
}

void VirtualWires::leave(NodeId id, bool power_gone) {
  if (processes_.at(id).frozen) thaw(id);
  for (const NodeId peer : members_) {
    if (peer == id) continue;
    End& end = ends_[{id, peer}];
    // Who answered its dialling has the connection before it does.
    const End& other = ends_[{peer, id}];
    const bool dials = other.up && other.its_session == processes_.at(id).session;
    if ((end.up || dials) && !power_gone)
      put_on(id, peer, {.connection = end.up ? end.connection : other.connection, .ends = true});
    end = {};
    if (power_gone) block(id, peer), block(peer, id);
  }
  dark_[id] = power_gone;
  processes_.erase(id);
}

void VirtualWires::freeze(NodeId id) {
  processes_.at(id).frozen = true;
  for (const NodeId peer : members_)
    if (peer != id) block(id, peer), block(peer, id);
}

void VirtualWires::thaw(NodeId id) {
  processes_.at(id).frozen = false;
  for (const NodeId peer : members_)
    if (peer != id) unblock(id, peer), unblock(peer, id);
}

void VirtualWires::take(NodeId id) {
  const auto process = processes_.find(id);
  if (process == processes_.end() || process->second.frozen) return;
  Outbox::Load load;
  process->second.outbox->take(load);
  for (Departure& message : load.departures) {
    const NodeId to = message.to;
    const End& end = ends_[{id, to}];
    if (!end.up) continue;
    const Way& way = ways_[{id, to}];
    if (way.on_it >= (way.room > 0 ? way.room : options_.queued_messages)) {
      ++refused_;
      lose(id, to, "it takes no more messages", true);
      continue;
    }
    put_on(id, to, {.connection = end.connection, .message = std::move(message)});
  }
  for (const NodeId peer : load.short_of) {
    ++refused_;
    lose(id, peer, "more is to be sent than the sockets can take", true);
  }
}

// --- ways ---

void VirtualWires::put_on(NodeId from, NodeId to, Parcel parcel) {
  Way& way = ways_[{from, to}];
  ++way.on_it;
  const Duration passing(size_of(parcel.message) * 1'000'000'000 / options_.bytes_per_second);
  way.free_at = std::max(way.free_at, stage_.now()) + passing;
  way.last_arrival = std::max(way.last_arrival, way.free_at + options_.latency);
  // A std::function can be copied, a message cannot.
  auto held = std::make_shared<Parcel>(std::move(parcel));
  stage_.at(way.last_arrival, [this, from, to, held] { arrive(from, to, std::move(*held)); });
}

void VirtualWires::arrive(NodeId from, NodeId to, Parcel parcel) {
  Way& way = ways_[{from, to}];
  if (way.blocks > 0 || !way.waiting.empty()) return way.waiting.push_back(std::move(parcel));
  --way.on_it;
  take_in(from, to, std::move(parcel));
}

void VirtualWires::take_in(NodeId from, NodeId to, Parcel parcel) {
  const End& end = ends_[{to, from}];
  if (!is_there(to) || !end.up || end.connection != parcel.connection) return;
  if (parcel.ends) return lose(to, from, "it closed the connection or fell silent", false);
  if (!push(from, to, std::move(parcel.message)))
    lose(to, from, "it sent what cannot be taken", true);
}

// False: it is corrupted, or the inbox is full.
bool VirtualWires::push(NodeId from, NodeId to, Departure message) {
  if (std::exchange(ways_[{from, to}].corrupts_next, false)) {
    zmq::message_t& corrupted = message.payload.empty() ? message.header : message.payload;
    corrupted.data<std::byte>()[corrupted.size() / 2] ^= std::byte{4};
  }
  const auto header = without_checksum(bytes_of(message.header), bytes_of(message.payload));
  if (!header) return false;
  Result<Packet> packet = decoder_.decode(*header, message.payload.size());
  if (!packet) return false;
  Item item{.event =
                MessageReceived{.envelope = packet->envelope,
                                .message = std::get<Message>(std::move(packet->content)),
                                .payload_bytes = static_cast<int64_t>(message.payload.size())}};
  if (!message.payload.empty()) {
    auto owner = std::make_shared<zmq::message_t>(std::move(message.payload));
    item.payload.bytes = bytes_of(*owner);
    item.payload.owner = std::move(owner);
  }
  const Process& process = processes_.at(to);
  const bool taken = process.inbox->push(std::move(item));
  refused_ += taken ? 0 : 1;
  process.arrived();
  return taken;
}

void VirtualWires::block(NodeId from, NodeId to) {
  Way& way = ways_[{from, to}];
  if (way.blocks++ > 0) return;
  const Time since = way.blocked_since = stage_.now();
  stage_.in(options_.silence_allowed, [this, from, to, since] { notice_silence(from, to, since); });
}

void VirtualWires::unblock(NodeId from, NodeId to) {
  Way& way = ways_[{from, to}];
  if (way.blocks == 0 || --way.blocks > 0) return;
  for (Parcel& parcel : std::exchange(way.waiting, {})) {
    --way.on_it;
    take_in(from, to, std::move(parcel));
  }
}

void VirtualWires::notice_silence(NodeId from, NodeId to, Time since) {
  const Way& way = ways_[{from, to}];
  if (way.blocks == 0 || way.blocked_since != since || !is_there(to)) return;
  if (!processes_.at(to).frozen) lose(to, from, "it fell silent", true);
}

void VirtualWires::reset(NodeId a, NodeId b) {
  lose(a, b, "it closed the connection or fell silent", true);
}

// --- connections ---

void VirtualWires::tell(NodeId id, Event event) {
  const Process& process = processes_.at(id);
  process.inbox->push({.event = std::move(event)});
  process.arrived();
}

void VirtualWires::lose(NodeId at, NodeId peer, const std::string& why, bool say) {
  End& end = ends_[{at, peer}];
  if (!end.up) return;
  end.up = false;
  ++lost_;
  if (say) put_on(at, peer, {.connection = end.connection, .ends = true});
  tell(at, PeerLost{.peer = peer, .why = why});
  if (at < peer) dial_in(redial_after, at, peer);
}

void VirtualWires::dial_in(Duration delay, NodeId dialler, NodeId answerer) {
  const auto process = processes_.find(dialler);
  if (process == processes_.end()) return;  // it dials when it begins
  const uint64_t session = process->second.session;
  stage_.in(delay, [this, dialler, answerer, session] {
    if (is_there(dialler) && processes_.at(dialler).session == session) dial(dialler, answerer);
  });
}

void VirtualWires::dial(NodeId dialler, NodeId answerer) {
  if (ends_[{dialler, answerer}].up) return;
  const bool heard = is_there(answerer) && ways_[{dialler, answerer}].blocks == 0 &&
                     ways_[{answerer, dialler}].blocks == 0;
  if (!heard) return dial_in(redial_after_refusal, dialler, answerer);
  const End& end = ends_[{answerer, dialler}];
  // Ids are unique: while another process of that name is believed to be there this one is refused.
  if (end.up && end.its_session != processes_.at(dialler).session)
    return dial_in(redial_after_refusal, dialler, answerer);
  lose(answerer, dialler, "it dialled again", false);
  connect(dialler, answerer);
}

// The answerer's greeting is the last one on its way.
void VirtualWires::connect(NodeId dialler, NodeId answerer) {
  const uint64_t connection = ++connections_;
  ends_[{answerer, dialler}] = {true, connection, processes_.at(dialler).session};
  tell(answerer, PeerSeen{.peer = dialler});
  stage_.in(options_.latency, [=, this, session = processes_.at(dialler).session] {
    if (!is_there(dialler) || processes_.at(dialler).session != session) return;
    const End& other = ends_[{answerer, dialler}];
    if (!other.up || other.connection != connection)  // it has hung up already
      return dial_in(redial_after_refusal, dialler, answerer);
    ends_[{dialler, answerer}] = {true, connection, 0};
    tell(dialler, PeerSeen{.peer = answerer});
  });
}

}  // namespace shingle::swarm
