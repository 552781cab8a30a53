#include "runtime/node/effects.hpp"

#include <algorithm>
#include <limits>

namespace shingle {

Effects::Effects(const NodeConfig& config, Peers& peers) : config_(config), peers_(peers) {
  local_pieces_.begin(std::numeric_limits<int64_t>::max(), 1);
}

void Effects::begin_step(Time now, Actions& out) {
  assert(out_ == nullptr);
  assert(now >= now_);
  now_ = now;
  out_ = &out;
  first_action_ = out.size();
}

void Effects::end_step(const OwnLoad& load) {
  assert(out_ != nullptr);
  assert(!has_local());
  for (size_t i = first_action_; i < out_->size(); ++i) {
    auto* message = std::get_if<Send>(&(*out_)[i]);
    if (message == nullptr) continue;
    Peer& peer = peers_.at(message->to);
    message->envelope = {.from = config_.id,
                         .life = config_.life,
                         .ready_tiles = load.ready_tiles,
                         .running_tiles = load.running_tiles,
                         .closed_below = load.closed_below,
                         .pasted_bytes = peer.taken_in_bytes,
                         .picoseconds_per_mac = load.picoseconds_per_mac};
    peer.told_bytes = peer.taken_in_bytes;
    peer.told_at = now_;
    peer.telling = false;
  }
  out_ = nullptr;
}

Report& Effects::report(Report::Kind kind, const FrameKey& key, NodeId node, std::string sentence,
                        const PlanHash& plan) {
  return emplace(Report{.kind = kind,
                        .key = key,
                        .node = node,
                        .tile = {},
                        .plan = plan,
                        .elapsed = {},
                        .sentence = std::move(sentence)});
}

void Effects::send(NodeId to, Message message) {
  assert(out_ != nullptr);
  if (to == config_.id) return local_messages_.push_back(std::move(message));
  Peer& peer = peers_.at(to);
  if (!peer.joined) return;
  peer.telling = true;
  act(Send{.to = to, .envelope = {}, .message = std::move(message), .source = {}, .region = {}});
}

void Effects::greet(NodeId to, Hello hello) {
  peers_.at(to).telling = true;
  act(Send{.to = to, .envelope = {}, .message = std::move(hello), .source = {}, .region = {}});
}

void Effects::unsay(NodeId to) {
  assert(out_ != nullptr);
  const auto begin = out_->begin() + static_cast<std::ptrdiff_t>(first_action_);
  const auto is_to_it = [&](const Action& action) {
    const auto* message = std::get_if<Send>(&action);
    return message != nullptr && message->to == to;
  };
  out_->erase(std::remove_if(begin, out_->end(), is_to_it), out_->end());
}

void Effects::transfer(NodeId to, Outgoing outgoing) {
  assert(outgoing.bytes >= 0);
  if (to == config_.id) return local_pieces_.enqueue(std::move(outgoing), transfers_++);
  Peer& peer = peers_.at(to);
  if (peer.joined) peer.link.enqueue(std::move(outgoing), transfers_++);
}

void Effects::drop_pieces(const FrameKey& key, Place source) {
  const auto belongs = [&](const Outgoing& outgoing) {
    return outgoing.piece.key == key && outgoing.source.place == source;
  };
  for (auto& [id, peer] : peers_) peer.link.drop_if(belongs);
}

// How much may be on its way from this node's port, to all peers together.
int64_t Effects::port_bytes() const {
  int64_t fastest = 0;
  for (const auto& [id, peer] : peers_)
    if (peer.joined) fastest = std::max(fastest, peer.link.bytes_per_second());
  return port_credit_bytes(fastest);
}

// A piece on its way to one peer delays a more urgent piece for another, because both leave by this
// node's own port. So the sum is limited, too. A peer that takes nothing in keeps at most half of
// the port.
std::optional<Outgoing> Effects::send_most_urgent() {
  const int64_t port = port_bytes();
  int64_t in_flight = 0;
  std::pair<const NodeId, Peer>* first = nullptr;
  for (auto& entry : peers_) {
    const Link& link = entry.second.link;
    if (!entry.second.joined) continue;
    in_flight += std::min(link.in_flight_bytes(), port / 2);
    const bool may = link.may_send() && link.in_flight_bytes() < port;
    if (may && (first == nullptr || link.goes_before(first->second.link))) first = &entry;
  }
  if (first == nullptr || in_flight >= port) return {};
  auto& [id, peer] = *first;
  std::optional<Outgoing> next = peer.link.take(now_);
  assert(next.has_value());
  peer.telling = true;
  counters_.payload_bytes_sent += static_cast<uint64_t>(next->bytes);
  act(Send{.to = id,
           .envelope = {},
           .message = next->piece,
           .source = next->source,
           .region = next->region});
  return next;
}

std::optional<Message> Effects::take_local_message() {
  if (local_messages_.empty()) return {};
  std::optional<Message> message = std::move(local_messages_.front());
  local_messages_.pop_front();
  return message;
}

std::optional<Outgoing> Effects::take_local_piece() { return local_pieces_.take(now_); }

}  // namespace shingle
