#include "tests/swarm/saboteur.hpp"

#include <array>

namespace shingle::swarm {

using std::chrono::milliseconds;

void Saboteur::draw_times() {
  at_ = Time{} + milliseconds(random_.between(0, 2000));
  until_ = std::min(calm, at_ + milliseconds(random_.between(1, 3000)));
  victim_ = any();
  const auto step = machines_ > 1 ? 1 + random_.next() % (machines_ - 1) : 0;
  other_ = NodeId{static_cast<uint32_t>((victim_.value + step) % machines_)};
}

void Saboteur::strike() {
  constexpr std::array alone{&Saboteur::crash, &Saboteur::hang,    &Saboteur::slow,
                             &Saboteur::stall, &Saboteur::squeeze, &Saboteur::break_executor};
  constexpr std::array together{
      &Saboteur::crash,          &Saboteur::hang,  &Saboteur::slow,           &Saboteur::stall,
      &Saboteur::break_executor, &Saboteur::cut,   &Saboteur::reset,          &Saboteur::clog,
      &Saboteur::split,          &Saboteur::storm, &Saboteur::clog_both_ways, &Saboteur::bend,
      &Saboteur::squeeze,        &Saboteur::skew};
  draw_times();
  const Fault fault = machines_ > 1 ? together[random_.next() % together.size()]
                                    : alone[random_.next() % alone.size()];
  (this->*fault)();
}

void Saboteur::tangle() {
  if (machines_ < 2) return;
  draw_times();
  tangled_ = true;
  cluster_.tangle(at_, victim_, other_);
  cluster_.untangle(until_, victim_, other_);
}

void Saboteur::spoil(bool borrowed_only) {
  draw_times();
  spoiler_ = victim_;
  const double share = random_.uniform();
  if (borrowed_only)
    cluster_.spoil_borrowed(at_, victim_, share);
  else
    cluster_.spoil(at_, victim_, share);
  cluster_.spoil(until_, victim_, 0.0);
}

void Saboteur::damage_weights() {
  draw_times();
  damaged_ = victim_;
  cluster_.damage_weights(at_, victim_);
}

// --- machines ---

void Saboteur::crash() {
  cluster_.crash(at_, victim_);
  cluster_.restart(until_, victim_);
}

void Saboteur::storm() {
  stormed_ = true;
  for (int32_t i = random_.between(4, 12); i > 0; --i) {
    const NodeId victim = any();
    const Time at = at_ + milliseconds(random_.between(0, 500));
    cluster_.crash(at, victim);
    cluster_.restart(at + milliseconds(random_.between(1, 200)), victim);
  }
}

void Saboteur::hang() {
  cluster_.hang(at_, victim_);
  cluster_.wake(until_, victim_);
}

void Saboteur::slow() {
  cluster_.slow(at_, victim_, random_.between(2, 20));
  cluster_.slow(until_, victim_, 1.0);
}

// Until it is started anew.
void Saboteur::break_executor() {
  broke_executors_ = true;
  cluster_.break_executor(at_, victim_);
  cluster_.crash(until_, victim_);
  cluster_.restart(until_ + milliseconds(1), victim_);
}

void Saboteur::stall() {
  cluster_.stall(at_, victim_);
  cluster_.resume(until_, victim_);
}

void Saboteur::squeeze() {
  squeezed_ = true;
  cluster_.squeeze(at_, victim_);
  cluster_.relieve(until_, victim_);
}

void Saboteur::skew() {
  cluster_.crash(at_, victim_);
  cluster_.speak(at_, victim_, protocol_version + (random_.chance(0.5) ? 1 : -1U));
  cluster_.restart(at_ + milliseconds(1), victim_);
  cluster_.crash(until_, victim_);
  cluster_.speak(until_, victim_, protocol_version);
  cluster_.restart(until_ + milliseconds(1), victim_);
}

// --- wires ---

void Saboteur::part(NodeId a, NodeId b) {
  cluster_.disconnect(at_, a, b);
  cluster_.reconnect(until_, a, b);
}

void Saboteur::cut() { part(victim_, other_); }

void Saboteur::reset() { cluster_.reset(at_, victim_, other_); }

void Saboteur::bend() { cluster_.bend(at_, victim_, other_); }

void Saboteur::clog() {
  cluster_.clog(at_, victim_, other_);
  cluster_.unclog(until_, victim_, other_);
}

void Saboteur::clog_both_ways() {
  clog();
  std::swap(victim_, other_);
  clog();
}

void Saboteur::split() {
  const uint64_t side = random_.next();
  for (uint32_t a = 0; a < machines_; ++a)
    for (uint32_t b = a + 1; b < machines_; ++b)
      if (((side >> a) & 1U) != ((side >> b) & 1U)) part({a}, {b});
}

// --- the end of it ---

void Saboteur::mend_all() {
  const Time at = calm + milliseconds(2);
  for (uint32_t a = 0; a < machines_; ++a) {
    cluster_.wake(at, {a});
    cluster_.resume(at, {a});
    cluster_.relieve(at, {a});
    cluster_.slow(at, {a}, 1.0);
    for (uint32_t b = 0; b < machines_; ++b) {
      if (a == b) continue;
      cluster_.unclog(at, {a}, {b});
      if (a > b) continue;
      cluster_.untangle(at, {a}, {b});
      cluster_.reconnect(at, {a}, {b});
    }
  }
}

bool Saboteur::has_spoilt(NodeId node) const { return spoiler_ == node || damaged_ == node; }

bool Saboteur::excuses(const std::string& sentence) const {
  const auto says = [&](const char* words) { return sentence.find(words) != std::string::npos; };
  return broke_executors_ || tangled_ ||
         ((stormed_ || spoils()) && says("attempts at it have come to nothing")) ||
         (squeezed_ && says("does not fit")) ||
         ((spoils() || damaged_) && (says("differently") || says("is trusted no more")));
}

}  // namespace shingle::swarm
