// VirtualCluster: the real Nodes in virtual time. It interprets their actions as runtime/driver
// does, with an event queue for a clock, a VirtualNetwork for wires and sim/contents for tensors.
//
//     take the earliest event or arrival; step the node that it concerns; carry out its actions
//
// Everything follows from the options and the script: the same run gives the same trace hash on any
// machine. After each step the node's invariants are checked; whatever is wrong stands in
// breaches().
#pragma once

#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "partition/base/event_queue.hpp"
#include "runtime/node/node.hpp"
#include "runtime/protocol/trace.hpp"
#include "sim/cluster_options.hpp"
#include "sim/contents.hpp"
#include "sim/fault_events.hpp"
#include "sim/history.hpp"
#include "sim/random.hpp"
#include "sim/tensors.hpp"

namespace shingle::sim {

class VirtualCluster {
 public:
  // `model` must outlive the cluster. All machines are connected at time 0.
  VirtualCluster(ClusterOptions options, const Model& model);
  ~VirtualCluster();

  // A further model that plans may be of; it too must outlive the cluster. Not for `full` runs,
  // whose executors serve one.
  void add_model(const Model& model) { models_[model.hash] = &model; }

  // --- the script: before run(), or between runs at a time not yet passed ---
  void propose(Time at, NodeId owner, const Plan& plan);
  void withdraw(Time at, NodeId owner, const PlanHash& plan);
  void capture(Time at, NodeId owner, const PlanHash& plan, Duration time_left);
  void crash(Time at, NodeId node);  // its connections break
  // It is gone, and no connection tells of it: its peers find out by its silence, or as it comes
  // back.
  void lose_power(Time at, NodeId node);
  void restart(Time at, NodeId node);  // after a crash: a new life
  void hang(Time at, NodeId node);     // it falls silent, its connections stand
  void wake(Time at, NodeId node);     // after a hang
  void slow(Time at, NodeId node, double factor);
  void disconnect(Time at, NodeId a, NodeId b);
  void reconnect(Time at, NodeId a, NodeId b);
  void reset(Time at, NodeId a, NodeId b);  // the connection breaks and comes back: what was in it
                                            // is lost, as when a corrupt message ends a session
  // Like reset(), but only `a` notices that the connection broke.
  void half_open(Time at, NodeId a, NodeId b);
  void clog(Time at, NodeId from, NodeId to);    // one way: what is sent waits, in order, ...
  void unclog(Time at, NodeId from, NodeId to);  // ... until now
  // From then on it computes so many of its tiles wrongly. Wrong frames are counted then, and are
  // no breach.
  void spoil(Time at, NodeId node, double share);
  void spoil_borrowed(Time at, NodeId node, double share);  // as above, of other homes' tiles only
  // Some of its weights change in memory: all its tiles are wrong until they are packed again.
  void damage_weights(Time at, NodeId node);
  void break_executor(Time at, NodeId node);  // every tile fails from then on
  void stall(Time at, NodeId node);   // no tile is finished, the node itself goes on talking ...
  void resume(Time at, NodeId node);  // ... until now
  void corrupt(Time at, NodeId from, NodeId to);  // the next piece arrives corrupted: its reader
                                                  // ends the connection, which comes back
  void squeeze(Time at, NodeId node);             // no further plan fits its memory ...
  void relieve(Time at, NodeId node);             // ... until now
  void speak(Time at, NodeId node, uint32_t version);  // of the wires, from its next start on
  // From then on nothing starts the machine anew, wakes it, or has it resume; or joins the wire
  // again (which is cut).
  void abandon(Time at, NodeId node);
  void abandon_wire(Time at, NodeId a, NodeId b);
  // From then on it says well-formed things that are false beside those that are true, and keeps
  // some of these to itself (sim/cluster_lies.cpp). Not for `full` runs.
  void lie(Time at, NodeId node);
  // What no TCP does: messages come twice, behind later ones, out of a connection that has ended
  // ...
  void tangle(Time at, NodeId a, NodeId b);
  void untangle(Time at, NodeId a, NodeId b);  // ... until now, when it breaks and comes back

  // Bytes from host to host of the topology, beside all messages. REQUIRES: no machine has these
  // hosts, so that connections are not shared.
  void flow(Time at, uint32_t from, uint32_t to, int64_t bytes, uint64_t number);

  // Until nothing but beats is left to happen, or `until`, or pause(), or the network's status() is
  // an error. True if all came to rest.
  bool run(Time until);
  // For on_report and on_trace: run() returns after the event at hand, and is_paused() is true
  // until the next run(). Then now() is the time of that event.
  void pause() { progress_.paused = true; }
  bool is_paused() const { return progress_.paused; }

  Time now() const { return progress_.now; }
  const VirtualNetwork& network() const { return network_; }
  bool is_up(NodeId id) const;
  bool hangs(NodeId id) const;        // as a whole, and is up
  const Node& node(NodeId id) const;  // REQUIRES: is up
  const std::vector<TraceEvent>& trace() const { return record_.trace; }
  uint64_t trace_hash() const { return record_.hash.value(); }
  const std::vector<std::string>& breaches() const { return record_.breaches; }
  // Delivered once somebody spoils tiles; of the frames that were captured at or after `captured`.
  uint64_t wrong_frames(Time captured = {}) const;
  int64_t differing_bytes() const {
    return record_.differing_bytes;
  }  // `full` runs: of all deliveries
  uint64_t events() const { return record_.events; }

  // What became of the frames captured by owners that did not crash.
  struct Fates {
    size_t captured = 0, delivered = 0, dropped = 0, aborted = 0;
  };
  const Fates& fates() const { return record_.fates; }
  const History& history() const {
    return record_.history;
  }  // of all frames, those of the dead too
  // None: it has no board. REQUIRES: run() has come to this time, and the next event is later.
  std::optional<BoardState> board_state(NodeId id, Time at) const;
  // By their boards, because they held more memory than there is.
  const std::vector<KilledNode>& killed() const { return record_.killed; }
  size_t canvases_left() const;                // on machines whose process and executor do not hang
  int64_t most_canvas_bytes(NodeId id) const;  // held at once, without captured frames

 private:
  struct Ailments;
  struct Board;
  struct Host;
  struct KnownText;
  struct InFlight {
    NodeId from, to;
    uint64_t connection = 0;  // the count of its breaks; older messages are lost
    Envelope envelope;
    Message message;
    int64_t payload_bytes = 0;
    ContentBoxes boxes;
    Bytes bytes;
    bool stray = false;  // sent while the wire was tangled
    bool is_beat() const { return std::holds_alternative<Beat>(message); }
  };
  using Cargo = std::unique_ptr<InFlight>;
  struct KeptBeat {  // of a tick: it has not been given to its receiver yet
    Time at{};
    uint64_t connection = 0;  // as of InFlight
    Envelope envelope;
  };
  class Mailbox;

  // What happens.
  struct Arrived {  // late
    Cargo cargo;
  };
  struct MailDue {  // beats that a node must hear now
    NodeId node;
  };
  struct Loaded {
    NodeId node;
    uint64_t life;
    PlanHash plan;
    ModelHash model;
    bool false_text = false;
  };
  struct Begun {
    NodeId node;
    uint64_t life;
    TileBegun tile;
  };
  struct Computed {
    NodeId node;
    uint64_t life;
    Compute order;
    Duration compute_time{};
  };
  struct WeightsSeen {  // damaged
    NodeId node;
    uint64_t life;
  };
  struct WeightsPacked {
    NodeId node;
    uint64_t life;
  };
  struct Alarm {
    NodeId node;
    uint64_t life, count;
  };
  struct Noticed {  // a connection's end, or its beginning
    NodeId node, peer;
    bool lost;
  };
  struct Captured {
    NodeId owner;
    PlanHash plan;
    Duration time_left{};
  };
  struct Proposed {
    NodeId owner;
    PlanProposed proposal;
  };
  struct Withdrawn {
    NodeId owner;
    PlanHash plan;
  };
  struct Started {  // a tile, on a board
    NodeId node;
    uint64_t life;
    Compute order;
  };
  struct BoardDue {
    NodeId node;
    uint64_t look;  // only the newest counts
  };
  struct FlowBegun {
    uint32_t from, to;  // hosts
    int64_t bytes;
    uint64_t number;
  };
  using SimEvent = std::variant<Arrived, MailDue, Loaded, Begun, Computed, WeightsSeen,
                                WeightsPacked, Alarm, Noticed, Captured, Proposed, Withdrawn,
                                Started, BoardDue, FlowBegun, NodeFault, WireFault>;

  void happen(Arrived& event);
  void happen(MailDue& event);
  void happen(Loaded& event);
  void happen(Begun& event);
  void happen(Computed& event);
  void happen(WeightsSeen& event);
  void happen(WeightsPacked& event);
  void happen(Alarm& event);
  void happen(Noticed& event);
  void happen(Captured& event);
  void happen(Proposed& event);
  void happen(Withdrawn& event);
  void happen(Started& event);
  void happen(BoardDue& event);
  void happen(FlowBegun& event);
  void happen(NodeFault& event);
  void strike(Host& subject, const NodeFault& fault);
  void happen(WireFault& event);
  void begin_lying(Host& subject);
  void start_anew(Host& subject);
  void unclog(NodeId from, NodeId to);
  void begin_spoiling(Host& subject, double share, bool borrowed_only);
  void damage_weights(Host& subject);
  void resume_executor(Host& subject);
  void speak_version(Host& subject, uint32_t version);

  void carry_out(Host& host, Send& send);
  void carry_out(Host& host, Paste& paste);
  void carry_out(Host& host, Compute& compute);
  void carry_out(Host& host, Release& release);
  void carry_out(Host& host, ReleaseAll& release);
  void carry_out(Host& host, Deliver& deliver);
  void carry_out(Host& host, LoadPlan& load);
  void carry_out(Host& host, CheckWeights& check);
  void carry_out(Host& host, PackAgain& order);
  void carry_out(Host& host, Report& report);
  void carry_out(Host& host, WakeAt& wake);
  void meter(Host& host, const PlanHash& plan, const CanvasKey& canvas);
  struct TileTime {
    double compute_ns = 0.0, memory_ns = 0.0;  // memory: does not depend on the clock
  };
  const TileTime& tile_time(Host& host, const Compute& compute) const;
  double whole_time_ns(Host& host, const Compute& compute) const;
  Duration handover(Host& host);

  // sim/cluster_boards.cpp
  void add_board(Host& host);
  template <class Change>
  void change_board(Host& host, const Change& change);
  void count_packets(Host& host, int64_t sent_bytes, int64_t received_bytes);
  void hold_memory(Host& host);
  void start_board(Host& host);
  void slow_down(Host& host, double factor);

  void step(Host& host, const Event& event, const InFlight* cargo = nullptr);
  void check(Host& host);
  void schedule(Time at, SimEvent event);
  void next_event();
  void arrive(const NetworkArrival& arrival);
  static bool is_background(const SimEvent& event);
  bool at_rest() const;
  void boot(Host& host);
  enum class Ending : uint8_t { noticed, silent };
  void fall(Host& host, Ending ending = Ending::noticed);
  void stop_board(Host& host, Ending ending);
  void cross(Cargo cargo);
  Cargo new_cargo();
  // sim/cluster_ticks.cpp
  bool takes_part_in_tick(const Host& host, const Send& send);
  void end_tick(Host& sender);
  void keep(Host& receiver, const KeptBeat& beat, bool tells_of_closed_frames);
  void attend(Host& receiver);
  void hear_at_once(Host& receiver, const KeptBeat& beat);
  Time hear_kept(Host& receiver);
  void hear_late(Host& receiver, const KeptBeat& beat);
  void hear_all();

  uint64_t breaks_of(NodeId a, NodeId b) const;
  Cargo off_the_wire(uint64_t place);
  void go_astray(Cargo cargo);
  void break_wire(NodeId a, NodeId b);
  Duration latency(NodeId a, NodeId b) const { return network_.latency(index_of(a), index_of(b)); }
  bool is_lost(const InFlight& cargo) const;
  void wake(Host& host);
  void connect(NodeId a, NodeId b);
  void part(NodeId a, NodeId b, Ending ending = Ending::noticed);
  void begin_anew(NodeId a, NodeId b);
  void half_begin_anew(NodeId a, NodeId b);
  Result<std::shared_ptr<const LoadedPlan>> load(const Host& host, const Loaded& event);
  Status read_text(const PlanHash& plan, KnownText& known);

  // sim/cluster_lies.cpp
  void overhear(Host& liar, const InFlight& cargo);
  bool keeps_to_itself(Host& liar, const Send& send);
  void lie_beside(Host& liar, const Send& send);
  Message lie_about(Host& liar, const Assign& about, NodeId to);
  void forestall(Host& liar, const Send& send, const Assign& loan);
  void say(Host& liar, const Send& beside, Message message, int64_t payload_bytes,
           ContentBoxes boxes);
  void expect_wrong_tiles();
  void settle_fate(FrameEvent event, size_t& count);
  void breach(NodeId node, const std::string& sentence);
  void record(NodeId node, TraceEvent event);
  void tell(NodeId node, TraceEvent event);  // of on_trace alone
  uint32_t index_of(NodeId id) const;        // of its machine, and its host in the network
  Host& host(NodeId id) { return *hosts_[index_of(id)]; }
  const Model& model_of(const Plan& plan) const { return *models_.at(plan.model); }
  const LoadedPlan& loaded(const PlanHash& plan) const { return *plans_.at(plan).loaded; }

  struct KnownText {
    std::string text;
    std::shared_ptr<const LoadedPlan> loaded;
    std::optional<Status> checked{};  // what reading the text says, which is the same everywhere
  };
  using Pair = std::pair<NodeId, NodeId>;  // ascending

  struct Wires {
    std::vector<Cargo> cargo;  // by its number; null: not in use
    std::vector<uint64_t> free_places;
    std::vector<Cargo> spare;  // used up
    std::vector<NetworkArrival> arrivals;
    bool in_tick = false;  // the step at hand is one
    int64_t tick_beats = 0;
    uint64_t closed_below = 0;                   // as the tick tells
    Event kept{MessageReceived{{}, Beat{}, 0}};  // used again and again
    Actions actions;                             // on a kept beat
  };
  struct Progress {
    Time now{};
    Time heard_by{};        // beats that come before this time come before what happens now
    size_t foreground = 0;  // events and arrivals planned that are not background
    bool paused = false;
  };
  struct Frames {
    std::set<FrameKey> open;  // captured, without a fate as yet
    std::map<FrameKey, PlanHash> plans;
  };
  struct WireFaults {
    std::map<Pair, uint64_t> breaks;  // connections that have ended
    std::set<Pair> parted, abandoned, tangled;
    std::map<std::pair<NodeId, NodeId>, std::vector<Cargo>> clogged;  // (from, to): what waits
    std::set<std::pair<NodeId, NodeId>> corrupting;                   // (from, to)
  };
  struct Expected {
    bool honest = true;        // no wire was ever tangled, no node spoke another version or lied
    bool wrong_tiles = false;  // some machine may compute wrongly
  };
  struct Record {  // of the run
    std::vector<TraceEvent> trace;
    TraceHash hash;
    std::vector<std::string> breaches;
    std::vector<KilledNode> killed;
    Fates fates;
    History history;
    std::set<FrameKey> wrong_frames;
    uint64_t events = 0;
    int64_t differing_bytes = 0;
  };

  ClusterOptions options_;
  std::map<ModelHash, const Model*> models_;
  VirtualNetwork network_;
  Wires wires_;
  EventQueue<SimEvent> queue_;
  Progress progress_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::map<PlanHash, KnownText> plans_;
  Frames frames_;
  WireFaults faults_;
  Random stray_random_;
  Expected expected_;
  std::unique_ptr<Executor> oracle_;
  const InFlight* at_hand_ = nullptr;
  Actions actions_;
  Record record_;
};

}  // namespace shingle::sim
