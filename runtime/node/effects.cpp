#include "runtime/node/effects.hpp"

#include <algorithm>
#include <limits>

namespace shingle {

Effects::Effects(const NodeConfig& config, Peers& peers, const Invitations& invitations)
    : config_(config), peers_(peers), invitations_(invitations) {
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
                         .ready_tiles = invitations_.include(peer) ? load.ready_tiles : 0,
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
  if (!peer.joined) return;
  peer.link.enqueue(std::move(outgoing), transfers_++);
  peers_.with_pieces.insert(to);
}

void Effects::drop_pieces(const FrameKey& key, Place source) {
  const auto belongs = [&](const Outgoing& outgoing) {
    return outgoing.piece.key == key && outgoing.source.place == source;
  };
  for (auto& [id, peer] : peers_) peer.link.drop_if(belongs);
}

// A piece on its way to one peer delays a more urgent piece for another, because both leave by this
// node's own port. So the sum is limited, too. A peer that takes nothing in keeps at most half of
// the port.
std::optional<Outgoing> Effects::send_most_urgent() {
  std::erase_if(peers_.with_pieces, [this](NodeId id) { return peers_.at(id).link.is_quiet(); });
  if (peers_.with_pieces.empty()) return {};
  const int64_t port = port_credit_bytes(peers_.fastest_link());
  int64_t in_flight = 0;
  std::optional<NodeId> first;
  for (const NodeId id : peers_.with_pieces) {
    const Peer& peer = peers_.at(id);
    if (!peer.joined) continue;
    in_flight += std::min(peer.link.in_flight_bytes(), port / 2);
    const bool may = peer.link.may_send() && peer.link.in_flight_bytes() < port;
    if (may && (!first || peer.link.goes_before(peers_.at(*first).link))) first = id;
  }
  if (!first || in_flight >= port) return {};
  const NodeId id = *first;
  Peer& peer = peers_.at(id);
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
