#include "runtime/node/beats.hpp"

#include <algorithm>
#include <utility>

namespace shingle {

Beats::Beats(const NodeConfig& config, Peers& peers, const Sessions& sessions,
             Invitations& invitations, Effects& effects)
    : config_(config),
      peers_(peers),
      sessions_(sessions),
      invitations_(invitations),
      effects_(effects) {}

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
  in_beat_ = true;
  for (auto& [id, peer] : peers_)
    if (effects_.now() - peer.told_at >= config_.limits.beat_every / 2) effects_.send(id, Beat{});
}

void Beats::schedule_next() { next_beat_ = effects_.now() + config_.limits.beat_every; }

bool Beats::has_surplus(size_t ready_tiles) {
  if (ready_tiles == 0) surplus_told_ = false;
  return config_.limits.steals && ready_tiles > config_.limits.steal_keep;
}

void Beats::tell_invited() {
  for (auto& [id, peer] : peers_)
    if (invitations_.include(peer) && peers_.is_partner(peer) && !peer.telling)
      effects_.send(id, Beat{});
}

// A sender may send nothing more while too much of it is not acknowledged. It must not wait until
// this node has something else to say.
void Beats::acknowledge() {
  for (const NodeId id : std::exchange(peers_.unthanked, {})) {
    const Peer& peer = peers_.at(id);
    if (peer.joined && !peer.telling && peer.taken_in_bytes > peer.told_bytes)
      effects_.send(id, Beat{});
  }
}

// None: no peer has joined.
std::optional<Beats::Silence> Beats::first_silence() const {
  std::optional<Silence> first;
  for (const auto& [id, peer] : peers_) {
    if (!peer.joined) continue;
    const Time ends = peer.heard + sessions_.silence_allowed(peer);
    if (!first || ends < first->ends) first = Silence{ends, id, peer.heard};
  }
  return first;
}

bool Beats::still_holds(const Silence& silence) const {
  const Peer& peer = peers_.at(silence.peer);
  return peer.joined && peer.heard == silence.heard;
}

// When the first peer will have been silent for too long; none: not before the next beat, or no
// peer has joined. Whenever a peer is heard, its silence ends later than before: patience fades
// more slowly than time passes. So all peers are looked at only if one of them could be silent too
// soon and was heard since.
std::optional<Time> Beats::silence_ends() {
  const bool needed = !first_silence_ || !next_beat_ || first_silence_->ends < *next_beat_;
  if (needed && (!first_silence_ || !still_holds(*first_silence_)))
    first_silence_ = first_silence();
  if (!first_silence_) return {};
  if (next_beat_ && first_silence_->ends >= *next_beat_) return {};
  return first_silence_->ends;
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
