// The queues of a RadioCell, and the turns on its air.
#include "partition/network/radio_cell.hpp"

#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr uint32_t none = UINT32_MAX;
constexpr int64_t ip_bytes = 20 + 20;  // IP and TCP
constexpr int64_t answered_packets = 2;
constexpr double followed = 2.51;  // 4 dB
constexpr double pi = 3.14159265358979323846;

}  // namespace

RadioCell::RadioCell(const RadioTiming& radio, uint32_t stations, const TcpOptions& tcp,
                     uint64_t seed)
    : radio_(radio),
      tcp_(tcp),
      dice_(seed),
      stations_(stations + 1, Station{.contention = radio.least_contention}),
      by_pair_(size_t{stations} * stations, none) {}

void RadioCell::advance(std::vector<RadioMessage>& arrivals) {
  assert(next_ < Time::max());
  const Time now = next_;
  keep_times(now);
  if (!air_.turns.empty() && air_.end <= now)
    end_turns(now, arrivals);
  else if (air_.turns.empty() && first_turn() <= now)
    begin_turns(now);
  find_next();
}

void RadioCell::find_next() {
  next_ = air_.turns.empty() ? first_turn() : air_.end;
  if (!late_.empty()) next_ = std::min(next_, late_.first_time());
  if (!timeouts_.empty()) next_ = std::min(next_, timeouts_.first_time());
}

// --- queues ---

uint32_t RadioCell::next_hop(uint32_t station, const Burst& burst) const {
  if (radio_.kind == AirKind::access_point && station != access_point()) return access_point();
  const Connection& connection = connections_[burst.connection];
  return burst.acknowledges ? connection.from : connection.to;
}

// A station whose queue was empty need not draw slots if the air is free, nor if it has just heard
// a frame of one packet: the air is free until it answers. Packets of an aggregate come during it.
void RadioCell::enqueue(uint32_t id, const Burst& burst, Time now) {
  Station& station = stations_[id];
  if (station.queue.empty()) {
    station.ready = now;
    const bool is_free = now >= air_.free_since || air_.is_gap;
    if (!is_free && station.slots == 0) draw_slots(station);
  } else {
    Burst& last = station.queue.back();
    if (last.connection == burst.connection && last.acknowledges == burst.acknowledges &&
        last.heard == 0) {
      last.packets += burst.packets;
      last.bytes += burst.bytes;
      last.end = burst.end;
      last.answers = burst.answers;
      last.answered = burst.answered;
      return;
    }
  }
  station.queue.push_back(burst);
}

void RadioCell::deliver(const Burst& burst, uint32_t at, Time now,
                        std::vector<RadioMessage>& arrivals) {
  carried_bytes_ += burst.bytes;
  if (at == access_point())
    enqueue(at, burst, now);
  else if (burst.acknowledges)
    acknowledge(burst, now);
  else
    receive(burst, now, arrivals);
}

// --- turns ---

void RadioCell::draw_slots(Station& station) {
  station.slots = static_cast<int64_t>(dice_.below(size_t{station.contention} + 1));
}

Time RadioCell::turn_of(const Station& station) const {
  return std::max(station.ready, air_.free_since + radio_.wait + station.slots * radio_.slot);
}

Time RadioCell::first_turn() const {
  Time first = Time::max();
  for (const Station& station : stations_)
    if (!station.queue.empty()) first = std::min(first, turn_of(station));
  return first;
}

void RadioCell::begin_turns(Time now) {
  Duration longest{};
  for (uint32_t i = 0; i < stations_.size(); ++i) {
    if (stations_[i].queue.empty() || turn_of(stations_[i]) > now) continue;
    air_.turns.push_back(fill_frame(i));
    longest = std::max(longest, air_.turns.back().frame);
  }
  count_slots(now);
  air_.end = now + longest;
  // After a collision everybody waits as long as an answer takes (EIFS, 10.3.7).
  const bool is_alone = air_.turns.size() == 1;
  air_.free_since =
      air_.end + radio_.short_gap + (is_alone ? air_.turns.front().answer : radio_.answer_to_one);
  air_.busy += air_.free_since - now;
}

// The slots of free air that have passed.
void RadioCell::count_slots(Time now) {
  const Duration waited = now - air_.free_since - radio_.wait;
  if (waited < Duration{}) return;
  for (Station& station : stations_)
    station.slots = std::max<int64_t>(0, station.slots - waited / radio_.slot);
}

// Takes the packets for the receiver of the first one out of the queue, as many as a frame holds.
RadioCell::Turn RadioCell::fill_frame(uint32_t id) {
  Station& station = stations_[id];
  Turn turn{.station = id, .receiver = next_hop(id, station.queue.front())};
  if (station.must_ask) {
    turn.frame = radio_.request;
    turn.answer = radio_.answer_to_many;
    return turn;
  }
  bool is_full = false;
  for (auto burst = station.queue.begin(); burst != station.queue.end() && !is_full;) {
    if (next_hop(id, *burst) == turn.receiver) {
      const Burst taken = take_packets(*burst, turn);
      if (taken.packets > 0) turn.bursts.push_back(taken);
      is_full = burst->packets > 0;
    }
    burst = burst->packets == 0 ? station.queue.erase(burst) : burst + 1;
  }
  turn.frame = frame_time(radio_, turn.bytes);
  turn.answer = turn.packets > 1 ? radio_.answer_to_many : radio_.answer_to_one;
  return turn;
}

bool RadioCell::has_room(const Turn& turn, int64_t more) const {
  return turn.packets == 0 ||
         (turn.packets < radio_.most_packets && turn.bytes + more <= radio_.most_bytes &&
          frame_time(radio_, turn.bytes + more) <= radio_.longest_frame);
}

// Moves packets from a burst into the frame, and returns them as a burst of their own.
RadioCell::Burst RadioCell::take_packets(Burst& burst, Turn& turn) const {
  Burst taken = burst;
  taken.packets = taken.bytes = taken.heard = 0;
  while (burst.packets > 0) {
    const int64_t payload = std::min(burst.bytes, tcp_.segment_bytes);
    if (burst.packets > burst.heard) {
      const int64_t more = (payload + ip_bytes + radio_.header_bytes + 3) / 4 * 4;
      if (!has_room(turn, more)) break;
      turn.bytes += more;
      ++turn.packets;
    } else {
      --burst.heard;
      ++taken.heard;
    }
    ++taken.packets;
    taken.bytes += payload;
    --burst.packets;
    burst.bytes -= payload;
  }
  taken.end -=
      taken.acknowledges ? burst.packets * answered_packets * tcp_.segment_bytes : burst.bytes;
  return taken;
}

void RadioCell::end_turns(Time now, std::vector<RadioMessage>& arrivals) {
  const std::vector<Turn> turns = std::exchange(air_.turns, {});
  if (turns.size() > 1) return end_collision(turns);
  const Turn& turn = turns.front();
  Station& station = stations_[turn.station];
  station.contention = radio_.least_contention;
  draw_slots(station);
  if (turn.bursts.empty()) station.must_ask = false;
  air_.is_gap = turn.packets == 1;
  for (const Burst& burst : turn.bursts) deliver(burst, turn.receiver, now, arrivals);
  air_.is_gap = false;
}

// Who hears no answer draws from twice as many slots. What of an aggregate has arrived it does not
// know then, so it asks.
void RadioCell::end_collision(const std::vector<Turn>& turns) {
  for (const Turn& turn : turns) {
    Station& station = stations_[turn.station];
    const double heard = heard_share(turn, turns);
    if (heard > 0.0) {
      station.contention = radio_.least_contention;
    } else {
      station.contention = std::min(2 * station.contention + 1, radio_.most_contention);
      station.must_ask = station.must_ask || turn.packets > 1;
    }
    draw_slots(station);
    give_back(turn, heard);
  }
}

// To the head of the queue. A share of the frame's last packets was heard.
void RadioCell::give_back(const Turn& turn, double heard_share) {
  std::deque<Burst>& queue = stations_[turn.station].queue;
  auto heard = static_cast<int64_t>(heard_share * static_cast<double>(turn.packets));
  for (auto burst = turn.bursts.rbegin(); burst != turn.bursts.rend(); ++burst) {
    queue.push_front(*burst);
    const int64_t now_heard = std::min(heard, burst->packets - burst->heard);
    queue.front().heard += now_heard;
    heard -= now_heard;
  }
}

// Of a frame that collided: what comes after the ends of the others, if the receiver follows it.
double RadioCell::heard_share(const Turn& turn, const std::vector<Turn>& turns) const {
  if (turn.packets <= 1) return 0.0;
  double others = 0.0;
  Duration longest{};
  for (const Turn& other : turns) {
    if (other.station == turn.station) continue;
    if (other.station == turn.receiver) return 0.0;
    others += power(other.station, turn.receiver);
    longest = std::max(longest, other.frame);
  }
  if (turn.frame <= longest || power(turn.station, turn.receiver) < followed * others) return 0.0;
  return in_nanoseconds(turn.frame - longest) / in_nanoseconds(turn.frame - radio_.preamble);
}

// That a station receives; 1 at the distance of the access point.
double RadioCell::power(uint32_t from, uint32_t at) const {
  if (from == access_point() || at == access_point()) return 1.0;
  const double apart = static_cast<double>(std::max(from, at) - std::min(from, at));
  const double distance = 2.0 * std::sin(pi * apart / access_point());
  return 1.0 / (distance * distance * distance);
}

}  // namespace shingle
