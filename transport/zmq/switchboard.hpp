// Switchboard: all sockets of a transport, used by one thread only. It connects, greets, passes
// messages from the outbox to the wires and from the wires to the inbox, and disconnects whoever
// breaks the protocol of docs/understand/wire.md.
//
//   a dialled line:    waiting --(time)--> dialling --(connected)--> greeting --(greeted)--> up
//                         ^------------------- lost, for whatever reason --------------------'
//   an answered line:  down --(their greeting holds)--> up --(lost)--> down
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "transport/codec/codec.hpp"
#include "transport/keys/doorkeeper.hpp"
#include "transport/zmq/address_book.hpp"
#include "transport/zmq/backlog_watch.hpp"
#include "transport/zmq/monitor.hpp"
#include "transport/zmq/outbox.hpp"
#include "transport/zmq/presence.hpp"
#include "transport/zmq/token_bucket.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

struct Traffic {  // the counters of ZmqCounters, for two threads
  std::atomic<uint64_t> messages_sent{0}, messages_received{0}, bytes_sent{0}, bytes_received{0},
      unsent{0}, refused{0}, corrupted{0};
};

class Switchboard {
 public:
  // What a switchboard works with. Everything must outlive it.
  struct Surroundings {
    zmq::context_t& context;
    const ZmqOptions& options;
    const Credentials* credentials;  // null: without encryption, and open to anybody
    Inbox& inbox;
    Outbox& outbox;
    Presence& presence;
    AddressBook& addresses;
    Traffic& traffic;
  };
  // Binds. The sentence names the port and says what to do.
  // REQUIRES: the ids of `options` and of its peers differ; credentials are those of that id.
  static Result<std::unique_ptr<Switchboard>> open(const Surroundings& with);
  ~Switchboard();

  uint16_t port() const { return port_; }
  void run();  // until the outbox is closed. REQUIRES: called once.

 private:
  explicit Switchboard(const Surroundings& with);  // throws zmq::error_t
  Status bind();

  using Instant = std::chrono::steady_clock::time_point;
  enum class Stage : uint8_t { waiting, dialling, greeting, up };

  struct Line {  // to one peer
    PeerAddress peer;
    bool dialled = false;  // by this side, on a socket of its own; else the peer calls router_
    Stage stage = Stage::waiting;
    Instant until{};  // waiting: when to dial; dialling: try elsewhere; greeting: give up
    Address dialled_at{};
    uint64_t session = 0;                     // up: the peer's
    std::unique_ptr<zmq::socket_t> socket{};  // dialled only
    std::unique_ptr<Monitor> monitor{};       // dialled only; ends before the socket
    std::string trouble{};                    // why it is not up, as last noted
    PublicKey key{};                          // of the peer, as it was when it was let in
    TokenBucket messages{0.0, 0.0};           // that the peer may still send
    std::string route{};                      // answered only: the router's name for the connection
    int descriptor = -1;                      // of its connection, if it has one
    uint64_t dials = 0;                       // so far; names its monitors
    TokenBucket beginnings{20.0, 40.0};       // connections that the peer may still begin
    TokenBucket notes{1.0, 10.0};             // notes about it that may still be written
    uint64_t unsaid = 0;                      // notes that were not written since the last one
  };
  struct Times {
    Instant now{};  // of this turn of the loop
    Instant next_list{}, next_router_events{}, next_losses{};
  };
  struct Strangers {
    TokenBucket answers;  // that may still be sent to strangers
    Instant next_note{};
  };
  struct Frames {  // of one arriving message
    zmq::message_t route, header, payload;
    int count = 0;            // frames after the route
    uint64_t wire_bytes = 0;  // of these
  };

  void tune(zmq::socket_t& socket) const;
  Status guard(zmq::socket_t& answering);
  void show_key(Line& line);  // REQUIRES: a doorkeeper whose list has the peer; a socket
  void heed_list();           // REQUIRES: a doorkeeper
  void shut_out(Line& line);  // REQUIRES: not waiting
  Status check_identity(const Greeting& theirs, const Frames& frames) const;
  // REQUIRES: kind is refused or failed.
  void note_failure(Line& line, ConnectionEvent::Kind kind);
  void poll();
  void tick();
  void dial(Line& line);  // REQUIRES: dialled from here, waiting, without a socket
  void hang_up(Line& line);
  void hear_router_events();
  void look_at_backlogs();
  void look_for_losses();
  void cut_off(int descriptor);
  Line* line_with(int descriptor);  // that is up; null: none
  void lose(Line& line, const std::string& why, bool tell);
  // REQUIRES: not up; the greeting is the peer's.
  void connect(Line& line, const Greeting& theirs);

  void on_event(Line& line, const ConnectionEvent& event);  // REQUIRES: dialled from here
  void on_router_event(const ConnectionEvent& event);
  void read_line(Line& line);  // REQUIRES: a socket
  void read_router();
  void hand_over(int descriptor, const Frames& frames);
  Result<Packet> open(const Frames& frames);
  void take_in(Line& line, Frames& frames);
  void take_in(Line& line, Packet packet, Frames& frames);
  void take_in_greeting(Line& line, const Greeting& theirs);
  void answer_stranger(Frames& frames);
  void remind(const Frames& frames);
  void welcome(const Greeting& theirs, const Frames& frames);
  Status check_welcome(const Greeting& theirs, const Frames& frames) const;
  void refuse(const Greeting& theirs, const Frames& frames, const std::string& why);
  bool receive(zmq::socket_t& socket, bool routed, Frames& frames) const;

  bool send_waiting();  // false once the outbox is closed and empty
  void send(Line& line, zmq::message_t header, zmq::message_t payload);  // REQUIRES: up
  template <class Content>
  bool say(Line& line, const Content& content);
  // REQUIRES: a socket, if dialled from here; the header is not empty.
  bool put_on_wire(Line& line, zmq::message_t& header, zmq::message_t& payload);
  zmq::message_t header_of(const Greeting& greeting);
  zmq::message_t header_of(const Refusal& refusal);

  void note(const std::string& sentence);
  void note_of(Line& line, const std::string& sentence);
  void note_stranger(const std::string& sentence);

  const Surroundings with_;
  Greeting greeting_;
  Encoder encoder_;
  Decoder decoder_;
  std::unique_ptr<Doorkeeper> doorkeeper_;  // null: without keys
  zmq::socket_t router_;
  std::unique_ptr<Monitor> router_monitor_;
  uint16_t port_ = 0;
  std::map<NodeId, Line> lines_;           // every peer
  std::map<std::string, Line*> answered_;  // lines that are up, by route
  BacklogWatch backlogs_;
  Outbox::Load load_;
  std::vector<zmq_pollitem_t> polled_;
  Times times_;
  Strangers strangers_;
};

}  // namespace shingle
