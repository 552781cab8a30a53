// Beats: when this node wakes, and what it tells its peers without being asked: that it is there,
// that tiles pile up here, and how much it has taken in.
#pragma once

#include <utility>

#include "runtime/node/invitations.hpp"
#include "runtime/node/sessions.hpp"

namespace shingle {

class Beats {
 public:
  // REQUIRES: all outlive me.
  Beats(const NodeConfig& config, Peers& peers, const Sessions& sessions, Invitations& invitations,
        Effects& effects);

  // Before every event: if this node itself slept, nobody was silent meanwhile.
  void forgive_own_pause();

  void woken() { alarm_.reset(); }           // the alarm rang
  void joined() { first_silence_.reset(); }  // a peer has
  bool is_due() const { return next_beat_ && effects_.now() >= *next_beat_; }
  Duration since_last() const;  // REQUIRES: is_due()
  void beat();                  // to all that have not heard of this node just now
  void schedule_next();         // one period from now

  // What ends every step, in this order.
  // Tells of a surplus if need be. `party()`: who takes part in the frames at home here.
  template <class PartyOf>
  void advertise(size_t ready_tiles, const PartyOf& party);
  void acknowledge();
  // Sets the alarm. `has_work`: frames or plans are held, so time matters without peers, too.
  // `next_request`: when this thief may ask for a tile.
  void keep_time(bool has_work, std::optional<Time> next_request);

 private:
  bool has_surplus(size_t ready_tiles);
  void tell_invited();
  // Of one peer: its silence ends here if nothing more is heard of it.
  struct Silence {
    Time ends{};
    NodeId peer;
    Time heard{};
  };
  std::optional<Silence> first_silence() const;
  bool still_holds(const Silence& silence) const;
  std::optional<Time> silence_ends();

  const NodeConfig& config_;
  Peers& peers_;
  const Sessions& sessions_;
  Invitations& invitations_;
  Effects& effects_;
  std::optional<Time> next_beat_, alarm_;
  std::optional<Silence> first_silence_;  // no peer's silence ends before it; none: not known
  bool surplus_told_ = false;
  bool in_beat_ = false;  // the step at hand tells all peers that this node is there
};

// A surplus is told once, and again only after the queue was empty. Beats tell others of it too.
template <class PartyOf>
void Beats::advertise(size_t ready_tiles, const PartyOf& party) {
  const bool in_beat = std::exchange(in_beat_, false);
  if (!has_surplus(ready_tiles) || (surplus_told_ && !in_beat)) return;
  if (!invitations_.are_for_all()) invitations_.draw(party());
  if (!std::exchange(surplus_told_, true)) tell_invited();
}

}  // namespace shingle
