// Switchboard: every socket of a transport, and the one thread that may touch them. It connects,
// greets, passes messages from the outbox to the wires and from the wires to the inbox, and hangs
// up on whoever does not keep to docs/understand/wire.md.
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
#include "transport/zmq/backlog.hpp"
#include "transport/zmq/monitor.hpp"
#include "transport/zmq/outbox.hpp"
#include "transport/zmq/presence.hpp"
#include "transport/zmq/token_bucket.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

struct Traffic {  // ZmqCounters while threads count
  std::atomic<uint64_t> messages_sent{0}, messages_received{0}, bytes_sent{0}, bytes_received{0},
      unsent{0}, refused{0}, bent{0};
};

class Switchboard {
 public:
  // Binds. `credentials`: none means in clear and open to anybody. Throws zmq::error_t with
  // EADDRINUSE and the like. Everything must outlive it.
  Switchboard(zmq::context_t& context, const ZmqOptions& options, const Credentials* credentials,
              Inbox& inbox, Outbox& outbox, Presence& presence, AddressBook& addresses,
              Traffic& traffic);
  ~Switchboard();

  uint16_t port() const { return port_; }
  void run();  // until the outbox is closed

 private:
  using Instant = std::chrono::steady_clock::time_point;
  enum class Stage : uint8_t { waiting, dialling, greeting, up };

  struct Line {  // to one peer
    PeerAddress peer;
    bool dialled = false;  // by this side, through a socket of its own; else it comes in by router_
    Stage stage = Stage::waiting;
    Instant until{};  // waiting: dial then; dialling: try elsewhere then; greeting: give up then
    Address dialled_at{};
    uint64_t session = 0;                     // up: the peer's
    std::unique_ptr<zmq::socket_t> socket{};  // dialled only
    std::unique_ptr<Monitor> monitor{};       // dialled only; ends before the socket
    std::string trouble{};                    // why it is not up, as last noted
    PublicKey key{};                          // of the peer, as it was when it was let in
    TokenBucket messages{0.0, 0.0};           // that the peer may still send
    std::string route{};                      // answered only: the router's name for the connection
    int descriptor = -1;                      // of its connection, if it has one
    TokenBucket beginnings{20.0, 40.0};       // that the peer may still greet with
    TokenBucket notes{1.0, 10.0};             // that may still be said of it
    uint64_t unsaid = 0;                      // since the last
  };
  struct Frames {  // of one arriving message
    zmq::message_t route, header, payload;
    int count = 0;            // frames after the route
    uint64_t wire_bytes = 0;  // of these
  };

  void tune(zmq::socket_t& socket) const;
  void guard(zmq::socket_t& answering);
  void show_key(Line& line);
  void heed_list();
  void shut_out(Line& line);
  std::optional<std::string> why_not_believed(const Greeting& theirs, const Frames& frames) const;
  void note_failure(Line& line, ConnectionEvent::Kind kind);
  void poll();
  void tick();
  void dial(Line& line);
  void hang_up(Line& line);
  void watch_backlog(int descriptor);
  void hear_router_events();
  void look_at_backlogs();
  void cut_off(int descriptor);
  Line* line_with(int descriptor);  // that is up; null: none
  void lose(Line& line, const std::string& why, bool tell);
  void connect(Line& line, const Greeting& theirs);

  void on_event(Line& line, const ConnectionEvent& event);
  void on_router_event(const ConnectionEvent& event);
  void read_line(Line& line);
  void read_router();
  void hand_over(int descriptor, const Frames& frames);
  Result<Packet> open(const Frames& frames);
  void take_in(Line& line, Frames& frames);
  void take_in(Line& line, Packet packet, Frames& frames);
  void take_in_greeting(Line& line, const Greeting& theirs);
  void answer_stranger(Frames& frames);
  void remind(const Frames& frames);
  void welcome(const Greeting& theirs, const Frames& frames);
  std::optional<std::string> why_not_welcome(const Greeting& theirs, const Frames& frames) const;
  void refuse(const Greeting& theirs, const Frames& frames, const std::string& why);
  bool receive(zmq::socket_t& socket, bool routed, Frames& frames) const;

  void send_waiting();
  void send(Line& line, zmq::message_t header, zmq::message_t payload);
  template <class Content>
  bool say(Line& line, const Content& content);
  bool put_on_wire(Line& line, zmq::message_t& header, zmq::message_t& payload);
  zmq::message_t header_of(const Greeting& greeting);
  zmq::message_t header_of(const Refusal& refusal);

  void note(const std::string& sentence);
  void note_of(Line& line, const std::string& sentence);
  void note_stranger(const std::string& sentence);

  zmq::context_t& context_;
  const ZmqOptions& options_;
  const Credentials* const credentials_;
  Inbox& inbox_;
  Outbox& outbox_;
  Presence& presence_;
  AddressBook& addresses_;
  Traffic& traffic_;

  Greeting greeting_;
  Encoder encoder_;
  Decoder decoder_;
  std::optional<Doorkeeper> doorkeeper_;
  zmq::socket_t router_;
  std::unique_ptr<Monitor> router_monitor_;
  uint16_t port_ = 0;
  std::map<NodeId, Line> lines_;           // every peer
  std::map<std::string, Line*> answered_;  // lines that are up, by route
  std::map<int, Backlog> backlogs_;        // of all connections, by descriptor
  Outbox::Load load_;
  std::vector<zmq_pollitem_t> polled_;
  Instant now_{};  // of this turn of the loop
  Instant next_stranger_note_{}, next_look_at_list_{}, next_look_at_backlogs_{};
  Instant next_router_events_{};
  int next_stranger_ = 0;  // the descriptor at which the next look at strangers begins
  TokenBucket strangers_;  // that may still be answered
  uint64_t dials_ = 0;
  bool open_ = true;
};

}  // namespace shingle
