// VirtualWires: what lies between the Outbox of one process and the Inbox of another: sockets as
// transport/switchboard keeps them, and TCP, in virtual time. Messages are really encoded, given
// a checksum, checked and decoded.
//
//   Outbox -> take() -> way (rate, latency, in order) -> checksum, decoder -> Inbox
//
// As with the real ones: a connection carries messages in order and loses none, or it ends; then
// both sides push a PeerLost, each when it learns it, and the lower id dials again. It ends when
// the outbox or the wire is full, when the inbox takes no more, when something arrives corrupted,
// when a process ends, and when nothing was heard for as long as is allowed.
#pragma once

#include <deque>
#include <map>

#include "runtime/driver/inbox.hpp"
#include "tests/swarm/stage.hpp"
#include "transport/codec/codec.hpp"
#include "transport/zmq/outbox.hpp"

namespace shingle::swarm {

struct WireOptions {
  Duration latency = std::chrono::microseconds(200);
  int64_t bytes_per_second = 12'500'000;
  size_t queued_messages = 16'384;  // on one way; beyond it the connection ends
  Duration silence_allowed = std::chrono::milliseconds(1500);
};

class VirtualWires {
 public:
  struct Process {
    Inbox* inbox = nullptr;
    Outbox* outbox = nullptr;
    std::function<void()> arrived{};  // something was pushed into the inbox
    uint64_t session = 0;             // filled in by join()
    bool frozen = false;              // its sockets' thread as well
  };

  VirtualWires(Stage& stage, WireOptions options) : stage_(stage), options_(options) {}

  // A process begins; it dials whom it has to, and is dialled.
  void join(NodeId id, Process process);
  // It ends. Its machine says so to everybody, unless its power is gone: then they learn it by
  // silence, or when another process begins there.
  void leave(NodeId id, bool power_gone);
  void freeze(NodeId id);
  void thaw(NodeId id);
  void take(NodeId id);  // a turn of its sockets' thread: what waits in its outbox leaves

  // --- what happens to a way, or a connection ---
  void block(NodeId from, NodeId to);  // what is sent waits, and nothing is heard ...
  void unblock(NodeId from, NodeId to);
  void corrupt(NodeId from, NodeId to) { ways_[{from, to}].corrupts_next = true; }
  void reset(NodeId a, NodeId b);
  void narrow(NodeId from, NodeId to, size_t messages) { ways_[{from, to}].room = messages; }

  uint64_t lost_connections() const { return lost_; }
  uint64_t refused() const { return refused_; }  // messages that an inbox or outbox did not take

 private:
  using Pair = std::pair<NodeId, NodeId>;
  struct Parcel {
    uint64_t connection = 0;
    bool ends = false;  // the connection: no message
    Departure message{};
  };
  struct Way {
    int blocks = 0;
    Time blocked_since{};
    bool corrupts_next = false;
    size_t room = 0;  // other than the common one
    size_t on_it = 0;
    Time free_at{}, last_arrival{};
    std::deque<Parcel> waiting;  // arrived, but held back
  };
  struct End {  // of a connection, at the first towards the second
    bool up = false;
    uint64_t connection = 0;
    uint64_t its_session = 0;
  };

  bool is_there(NodeId id) const { return processes_.contains(id); }
  void put_on(NodeId from, NodeId to, Parcel parcel);
  void arrive(NodeId from, NodeId to, Parcel parcel);
  void take_in(NodeId from, NodeId to, Parcel parcel);
  bool push(NodeId from, NodeId to, Departure message);
  void tell(NodeId id, Event event);
  void lose(NodeId at, NodeId peer, const std::string& why, bool say);
  void dial_in(Duration delay, NodeId dialler, NodeId answerer);
  void dial(NodeId dialler, NodeId answerer);
  void connect(NodeId dialler, NodeId answerer);
  void notice_silence(NodeId from, NodeId to, Time since);

  Stage& stage_;
  const WireOptions options_;
  std::map<NodeId, Process> processes_;
  std::map<Pair, Way> ways_;
  std::map<Pair, End> ends_;
  std::map<NodeId, bool> dark_;  // without power: its ways are blocked
  Decoder decoder_;
  uint64_t sessions_ = 0, connections_ = 0, lost_ = 0, refused_ = 0;
  std::vector<NodeId> members_;
};

}  // namespace shingle::swarm
