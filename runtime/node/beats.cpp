#include "runtime/node/beats.hpp"

#include <algorithm>

namespace shingle {

Beats::Beats(const NodeConfig& config, Peers& peers, const Sessions& sessions, Effects& effects)
    : config_(config), peers_(peers), sessions_(sessions), effects_(effects) {}

// While this node sleeps, messages queue up behind its late alarm. So each peer was heard later, by
// as much as the alarm is late.
void Beats::forgive_own_pause() {
  const Time now = effects_.now();
  const Duration late = alarm_ ? now - *alarm_ : Duration::zero();
  if (late < config_.limits.beat_every / 2) return;
  alarm_ = now;
  for (auto& [id, peer] : peers_) peer.heard = std::min(now, peer.heard + late);
}

Duration Beats::since_last() const {
  assert(is_due());
  return effects_.now() - *next_beat_ + config_.limits.beat_every;
}

void Beats::beat() {
  for (auto& [id, peer] : peers_)
    if (effects_.now() - peer.told_at >= config_.limits.beat_every / 2) effects_.send(id, Beat{});
}

void Beats::schedule_next() { next_beat_ = effects_.now() + config_.limits.beat_every; }

// A surplus is told once, and again only after the queue was empty.
void Beats::advertise(size_t ready_tiles) {
  if (ready_tiles == 0) surplus_told_ = false;
  if (!config_.limits.steals || surplus_told_ || ready_tiles <= config_.limits.steal_keep) return;
  surplus_told_ = true;
  for (auto& [id, peer] : peers_)
    if (peers_.is_partner(peer) && !peer.telling) effects_.send(id, Beat{});
}

// A sender may send nothing more while too much of it is not acknowledged. It must not wait until
// this node has something else to say.
void Beats::acknowledge() {
  for (auto& [id, peer] : peers_)
    if (peer.joined && !peer.telling && peer.taken_in_bytes > peer.told_bytes)
      effects_.send(id, Beat{});
}

// When the first peer will have been silent for too long; none: no peer has joined.
std::optional<Time> Beats::silence_ends() const {
  std::optional<Time> first;
  for (const auto& [id, peer] : peers_) {
    if (!peer.joined) continue;
    const Time end = peer.heard + sessions_.silence_allowed(peer);
    first = std::min(first.value_or(end), end);
  }
  return first;
}

void Beats::keep_time(bool has_work, std::optional<Time> next_request) {
  const Time now = effects_.now();
  const std::optional<Time> silence = silence_ends();
  if (!next_beat_ && (silence || has_work)) schedule_next();
  std::optional<Time> next = next_beat_;
  if (silence && next) next = std::min(*next, std::max(*silence, now));
  if (next_request && *next_request > now)
    next = next ? std::min(*next, *next_request) : *next_request;
  if (!next || alarm_ == next) return;
  alarm_ = next;
  effects_.act(WakeAt{*next});
}

}  // namespace shingle
