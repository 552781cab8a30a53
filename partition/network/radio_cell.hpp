// RadioCell: the air of one Wi-Fi cell, turn by turn. A station with packets waits until the air
// was free for a while, and then for a number of slots that it drew. Who waits least has the turn:
// it sends the packet at the head of its queue, and with it, as one frame, others to the same
// receiver. Equal waits collide.
//
//   air  ##data##.ack.|wait|2 slots|##data##.ack.|wait|...
//   a    its turn                   draws anew
//   b    waits, 2 slots left        its turn
//
// Above the air there is TCP: windows, and acknowledgements that wait in their station's queue as
// data do. Through an access point each packet crosses the air twice and waits in the one queue of
// the access point. So short windows make short frames, stations share the air and not their
// connections, and acknowledgements wait behind data: a fluid model knows none of this.
//
// Collisions: a receiver follows a frame that is 4 dB stronger than the others, and gets the
// packets that come after the end of the others. Stations stand on a circle around the access
// point, in their order, at equal distances; power falls with the third power of the distance.
//
// A pure value: it reads no clock and draws from its seed only. (IEEE 802.11-2016, 10.3, 10.22,
// 10.24; RFC 5681.)
#pragma once

#include <deque>
#include <vector>

#include "partition/base/dice.hpp"
#include "partition/network/due_times.hpp"
#include "partition/network/radio.hpp"
#include "partition/network/send_window.hpp"

namespace shingle {

struct RadioMessage {
  uint32_t from = 0, to = 0;  // stations
  uint64_t cargo = 0;         // as given to send()
  int64_t bytes = 0;
};

class RadioCell {
 public:
  RadioCell(const RadioTiming& radio, uint32_t stations, const TcpOptions& tcp, uint64_t seed);

  // Messages of a connection arrive in the order of sending. REQUIRES: different stations,
  // bytes > 0; `now` is not before the last time that was given, nor after next_change().
  void send(const RadioMessage& message, Time now);
  // When advance() must be called next; Time::max(): not before something is sent.
  Time next_change() const { return next_; }
  // What happens at next_change(). Appends the messages that arrive then.
  void advance(std::vector<RadioMessage>& arrivals);
  // The connection ends, and a new one takes its place. The result is what has not arrived. Packets
  // that wait still take the air.
  std::vector<RadioMessage> break_connection(uint32_t from, uint32_t to);

  int64_t carried_bytes() const { return carried_bytes_; }  // payload, each time that it crossed
  Duration busy() const { return air_.busy; }               // frames and their answers

 private:
  struct Burst {  // packets of a connection that follow each other in a queue
    uint32_t connection = 0;
    bool acknowledges = false;
    int64_t packets = 0;
    int64_t bytes = 0;  // payload
    int64_t end = 0;    // of the stream: after the last packet, or what is acknowledged
    int64_t heard = 0;  // so many of the last packets survived a collision: they need no air again
    // Data also acknowledges what its sender has received of another connection.
    uint32_t answers = UINT32_MAX;
    int64_t answered = 0;  // of that stream
  };
  struct Sent {
    int64_t end = 0;  // of the stream
    Time at{};
  };
  struct Awaited {
    RadioMessage message;
    int64_t end = 0;  // of the stream
  };
  struct Connection {
    uint32_t from = 0, to = 0;
    SendWindow window;
    std::deque<Awaited> messages{};
    int64_t written = 0, sent = 0, acknowledged = 0, received = 0;  // bytes of the stream
    std::deque<Sent> times{};                                       // of what is not acknowledged
    int64_t sent_again = 0;  // bytes of the stream up to which no round trip is measured
    int64_t unanswered = 0;  // packets at the receiver
    Time last_sent{};
  };
  struct Station {
    std::deque<Burst> queue{};
    int64_t slots = 0;  // left to wait
    uint32_t contention = 0;
    Time ready{};           // since when the queue has something
    bool must_ask = false;  // what of an aggregate arrived whose answer did not come
  };
  struct Turn {
    uint32_t station = 0, receiver = 0;
    std::vector<Burst> bursts{};  // none: it asks
    int64_t packets = 0, bytes = 0;
    Duration frame{}, answer{};
  };
  struct Air {
    std::vector<Turn> turns;  // under way
    Time end{};               // of their frames
    Time free_since{};        // during turns: when it will be free
    bool is_gap = false;      // between a frame of one packet and its answer
    Duration busy{};
  };

  uint32_t access_point() const { return static_cast<uint32_t>(stations_.size() - 1); }
  uint32_t& id_of(uint32_t from, uint32_t to) { return by_pair_[from * access_point() + to]; }
  // the streams of the stations
  uint32_t open(uint32_t from, uint32_t to);
  Duration handshake(uint32_t from, uint32_t to);
  void write(uint32_t connection, Time now);
  void answer_with(Burst& data);
  void receive(const Burst& burst, Time now, std::vector<RadioMessage>& arrivals);
  void answer(uint32_t connection, int64_t count, Time now);
  void acknowledge(const Burst& burst, Time now);
  void await_answer(uint32_t connection, Time now);
  void send_again(uint32_t connection, Time now);
  void keep_times(Time now);
  // queues and turns
  uint32_t next_hop(uint32_t station, const Burst& burst) const;
  void enqueue(uint32_t station, const Burst& burst, Time now);
  void draw_slots(Station& station);
  Time turn_of(const Station& station) const;
  Time first_turn() const;
  void find_next();
  void begin_turns(Time now);
  void count_slots(Time now);
  Turn fill_frame(uint32_t station);
  bool has_room(const Turn& turn, int64_t more) const;
  Burst take_packets(Burst& burst, Turn& turn) const;
  void end_turns(Time now, std::vector<RadioMessage>& arrivals);
  void end_collision(const std::vector<Turn>& turns);
  void deliver(const Burst& burst, uint32_t at, Time now, std::vector<RadioMessage>& arrivals);
  void give_back(const Turn& turn, double heard_share);
  double heard_share(const Turn& turn, const std::vector<Turn>& turns) const;
  double power(uint32_t from, uint32_t at) const;

  RadioTiming radio_;
  TcpOptions tcp_;
  Dice dice_;
  std::vector<Station> stations_;  // the access point comes last
  std::vector<Connection> connections_;
  std::vector<uint32_t> by_pair_;  // connections
  DueTimes late_;                  // connections whose acknowledgement waits for a second packet
  DueTimes timeouts_;              // of connections
  Air air_;
  Time next_ = Time::max();
  int64_t carried_bytes_ = 0;
};

}  // namespace shingle
