#include "tests/swarm/fault_injector.hpp"

#include <algorithm>
#include <array>

namespace shingle::swarm {

namespace {

// So long a fault may still be felt when it is over: a node that failed is asked again by then.
constexpr Duration lasting = std::chrono::seconds(6);

}  // namespace

using std::chrono::milliseconds;

void FaultInjector::draw_times() {
  at_ = Time{} + milliseconds(random_.between(0, 2000));
  until_ = std::min(calm, at_ + milliseconds(random_.between(1, 3000)));
  victim_ = any();
  const auto step = machines_ > 1 ? 1 + random_.next() % (machines_ - 1) : 0;
  other_ = NodeId{static_cast<uint32_t>((victim_.value + step) % machines_)};
}

void FaultInjector::strike(bool later_faults) {
  constexpr std::array alone{&FaultInjector::crash,   &FaultInjector::hang,
                             &FaultInjector::slow,    &FaultInjector::stall,
                             &FaultInjector::squeeze, &FaultInjector::break_executor};
  constexpr std::array together{
      &FaultInjector::crash,    &FaultInjector::hang,           &FaultInjector::slow,
      &FaultInjector::stall,    &FaultInjector::break_executor, &FaultInjector::cut,
      &FaultInjector::reset,    &FaultInjector::clog,           &FaultInjector::split,
      &FaultInjector::storm,    &FaultInjector::clog_both_ways, &FaultInjector::corrupt,
      &FaultInjector::squeeze,  &FaultInjector::skew,           &FaultInjector::lose_power,
      &FaultInjector::half_open};
  constexpr size_t later = 2;  // the last of them
  draw_times();
  const size_t kinds = together.size() - (later_faults ? 0 : later);
  const Fault fault =
      machines_ > 1 ? together[random_.next() % kinds] : alone[random_.next() % alone.size()];
  (this->*fault)();
}

void FaultInjector::tangle() {
  if (machines_ < 2) return;
  draw_times();
  tangled_ = true;
  hit("has a tangled wire", true);
  std::swap(victim_, other_);
  hit("has a tangled wire", true);
  std::swap(victim_, other_);
  cluster_.tangle(at_, victim_, other_);
  cluster_.untangle(until_, victim_, other_);
}

void FaultInjector::spoil(bool borrowed_only) {
  draw_times();
  spoiler_ = victim_;
  hit("spoils tiles");
  const double share = random_.uniform();
  if (borrowed_only)
    cluster_.spoil_borrowed(at_, victim_, share);
  else
    cluster_.spoil(at_, victim_, share);
  cluster_.spoil(until_, victim_, 0.0);
}

void FaultInjector::damage_weights() {
  draw_times();
  damaged_ = victim_;
  until_ = calm;
  hit("has weights that change");
  cluster_.damage_weights(at_, victim_);
}

// --- machines ---

void FaultInjector::restart(Time at, NodeId node) {
  started_anew_.insert(node);
  cluster_.restart(at, node);
}

void FaultInjector::crash() {
  hit("is started anew");
  cluster_.crash(at_, victim_);
  restart(until_, victim_);
}

void FaultInjector::lose_power() {
  hit("loses its power");
  cluster_.lose_power(at_, victim_);
  restart(until_, victim_);
}

void FaultInjector::storm() {
  stormed_ = true;
  for (int32_t i = random_.between(4, 12); i > 0; --i) {
    const NodeId victim = any();
    const Time at = at_ + milliseconds(random_.between(0, 500));
    const Time back = at + milliseconds(random_.between(1, 200));
    hits_.push_back({at, back, victim, {}, "is in a storm", false});
    cluster_.crash(at, victim);
    restart(back, victim);
  }
}

void FaultInjector::hang() {
  hit("hangs");
  cluster_.hang(at_, victim_);
  cluster_.wake(until_, victim_);
}

void FaultInjector::slow() {
  hit("is slow");
  cluster_.slow(at_, victim_, random_.between(2, 20));
  cluster_.slow(until_, victim_, 1.0);
}

// Until it is started anew.
void FaultInjector::break_executor() {
  hit("fails at tiles");
  broke_executors_ = true;
  cluster_.break_executor(at_, victim_);
  cluster_.crash(until_, victim_);
  restart(until_ + milliseconds(1), victim_);
}

void FaultInjector::stall() {
  hit("stalls at a tile");
  cluster_.stall(at_, victim_);
  cluster_.resume(until_, victim_);
}

void FaultInjector::squeeze() {
  hit("has no memory for plans", true);
  squeezed_ = true;
  cluster_.squeeze(at_, victim_);
  cluster_.relieve(until_, victim_);
}

void FaultInjector::skew() {
  hit("speaks another version", true);
  cluster_.crash(at_, victim_);
  cluster_.speak(at_, victim_, protocol_version + (random_.chance(0.5) ? 1 : -1U));
  restart(at_ + milliseconds(1), victim_);
  cluster_.crash(until_, victim_);
  cluster_.speak(until_, victim_, protocol_version);
  restart(until_ + milliseconds(1), victim_);
}

// --- wires ---

void FaultInjector::part(NodeId a, NodeId b) {
  hit_wire("is cut", a, b);
  cluster_.disconnect(at_, a, b);
  cluster_.reconnect(until_, a, b);
}

void FaultInjector::cut() { part(victim_, other_); }

void FaultInjector::reset() {
  hit_wire("breaks", victim_, other_);
  cluster_.reset(at_, victim_, other_);
}

void FaultInjector::half_open() {
  hit_wire("breaks for one side", victim_, other_);
  cluster_.half_open(at_, victim_, other_);
}

// When a piece comes: until the end, that is.
void FaultInjector::corrupt() {
  until_ = Time::max();
  hit_wire("corrupts a piece", victim_, other_);
  cluster_.corrupt(at_, victim_, other_);
}

void FaultInjector::clog() {
  hit_wire("is clogged", victim_, other_);
  cluster_.clog(at_, victim_, other_);
  cluster_.unclog(until_, victim_, other_);
}

void FaultInjector::clog_both_ways() {
  clog();
  std::swap(victim_, other_);
  clog();
}

void FaultInjector::split() {
  const uint64_t side = random_.next();
  for (uint32_t a = 0; a < machines_; ++a)
    for (uint32_t b = a + 1; b < machines_; ++b)
      if (((side >> a) & 1U) != ((side >> b) & 1U)) part({a}, {b});
}

// --- the end of it ---

void FaultInjector::mend_all() {
  const Time at = calm + milliseconds(2);
  for (uint32_t a = 0; a < machines_; ++a) {
    cluster_.wake(at, {a});
    cluster_.resume(at, {a});
    if (!starved_.contains({a})) cluster_.relieve(at, {a});
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

// --- for ever ---

// Some in the middle of the faults, some long after.
void FaultInjector::abandon_some(sim::Random& random) {
  if (machines_ < 2) return;
  abandons_ = true;
  until_ = Time::max();
  const auto spared = static_cast<uint32_t>(random.next() % machines_);
  for (auto i = random.between(1, static_cast<int32_t>(machines_) - 1); i > 0; --i) {
    const auto steps = static_cast<uint32_t>(1 + random.next() % (machines_ - 1));
    victim_ = NodeId{static_cast<uint32_t>((spared + steps) % machines_)};
    other_ = NodeId{static_cast<uint32_t>(random.next() % machines_)};
    const bool late = random.chance(0.4);
    at_ = late ? settled + milliseconds(random.between(0, 1000))
               : Time{} + milliseconds(random.between(0, 2000));
    abandon(random.between(0, other_ == victim_ ? 5 : 6));
  }
}

void FaultInjector::abandon(int32_t kind) {
  if (kind == 6) {
    hit_wire("is cut", victim_, other_);
    return cluster_.abandon_wire(at_, victim_, other_);
  }
  cluster_.abandon(at_, victim_);
  switch (kind) {
    case 0:
      hit("dies");
      return cluster_.crash(at_, victim_);
    case 1:
      hit("loses its power");
      return cluster_.lose_power(at_, victim_);
    case 2:
      hit("hangs");
      return cluster_.hang(at_, victim_);
    case 3:
      hit("fails at tiles");
      return cluster_.break_executor(at_, victim_);
    case 4:
      starved_.insert(victim_);
      hit("has no memory for plans", true);
      return cluster_.squeeze(at_, victim_);
    default:
      hit("stalls at a tile");
      return cluster_.stall(at_, victim_);
  }
}

void FaultInjector::have_one_lie(sim::Random& random) {
  victim_ = NodeId{static_cast<uint32_t>(random.next() % machines_)};
  at_ = Time{} + milliseconds(random.between(0, 1000));
  until_ = Time::max();
  liar_ = victim_;
  hit("lies");
  cluster_.lie(at_, victim_);
}

std::vector<std::string> FaultInjector::story() const {
  const auto ms = [](Time at) {
    return at == Time::max() ? std::string("for ever")
                             : std::to_string(at.time_since_epoch() / milliseconds(1)) + " ms";
  };
  std::vector<std::string> lines;
  for (const Hit& hit : hits_)
    lines.push_back("from " + ms(hit.from) + " to " + ms(hit.until) + ": " +
                    (hit.other ? "the wire " + std::to_string(hit.node.value) + "-" +
                                     std::to_string(hit.other->value)
                               : "node " + std::to_string(hit.node.value)) +
                    " " + hit.what);
  return lines;
}

// --- the verdict ---

bool FaultInjector::has_spoilt(NodeId node) const {
  return spoiler_ == node || damaged_ == node || liar_ == node;
}

bool FaultInjector::excuses(const std::string& sentence) const {
  const auto says = [&](const char* words) { return sentence.find(words) != std::string::npos; };
  return broke_executors_ || tangled_ || abandons_ || liar_ ||
         ((stormed_ || spoils() || damaged_ || !silences_.empty()) &&
          says("attempts at it have come to nothing")) ||
         (squeezed_ && says("does not fit")) ||
         ((spoils() || damaged_) && (says("differently") || says("is trusted no more")));
}

bool FaultInjector::was_hit(NodeId node, NodeId owner, Time from, Time until) const {
  return std::any_of(hits_.begin(), hits_.end(), [&](const Hit& hit) {
    if (hit.from > until || hit.until < from) return false;
    if (!hit.other) return hit.node == node || (hit.of_plans && hit.node == owner);
    return std::minmax(hit.node, *hit.other) == std::minmax(node, owner);
  });
}

bool FaultInjector::had_help(NodeId owner, Time captured, Time ended) const {
  const Time from = std::max(Time{} + lasting, captured) - lasting;
  std::vector<NodeId> well;
  for (uint32_t node = 0; node < machines_; ++node)
    if (!was_hit({node}, owner, from, ended)) well.push_back({node});
  const bool whole = std::all_of(well.begin(), well.end(), [&](NodeId node) {
    return std::none_of(well.begin(), well.end(),
                        [&](NodeId other) { return was_hit(node, other, from, ended); });
  });
  return whole && well.size() >= (spoils() || damaged_ || liar_ ? 2U : 1U);
}

bool FaultInjector::wore_out(const std::string& sentence, Time captured, Time ended) const {
  const auto faults = std::count_if(hits_.begin(), hits_.end(), [&](const Hit& hit) {
    return hit.from <= ended && hit.until >= captured;
  });
  // Each dispute about a tile costs an attempt, too. A machine that errs, or that has not yet found
  // that its weights changed, causes one dispute for each of its audited tiles.
  const bool disputed = spoils() || damaged_ || liar_;
  const auto silences = std::count_if(silences_.begin(), silences_.end(),
                                      [&](Time at) { return at >= captured && at <= ended; });
  return (disputed || faults + silences + 1 >= NodeLimits{}.attempts) &&
         sentence.find("attempts at it have come to nothing") != std::string::npos;
}

bool FaultInjector::was_never_ready(const std::string& sentence, Time ended) const {
  const auto says = [&](const char* words) { return sentence.find(words) != std::string::npos; };
  const bool never = says(" has not become ready for it in ") ||
                     says(" cannot run it: it does not fit") ||
                     says(" was refused: it does not fit");
  return never &&
         std::any_of(hits_.begin(), hits_.end(), [&](const Hit& hit) { return hit.from <= ended; });
}

}  // namespace shingle::swarm
