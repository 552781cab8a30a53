// FluidNetwork: when messages arrive. Each pair of hosts has a connection in each direction, which
// carries its messages one after the other; the connections that have something to send share the
// resources max-min fairly (max_min.hpp), as far as TCP lets them (tcp.hpp).
//
//   send --> [message][message]  --rate of the connection-->  latency --> arrival
//
// A message arrives when its last packet does: it has left at the connection's rate, and then
// crosses the other resources of the route on its own. A message of one segment that finds its
// connection idle is not made a flow: it waits for small ones before it at its sender and for what
// stands in later ports (fluid_ports.cpp), crosses each resource, and pays the latency.
//
// Where windows are ns-3's, what they hold beyond the route stands in a queue behind the first port
// (fluid_queues.cpp), and acknowledgements wait for the data of others.
//
// If all hosts are stations of one Wi-Fi cell whose radio mode is known, the cell is simulated turn
// by turn instead (radio_cell.hpp). Then nothing of the above holds but the verbs and the latency.
//
// A pure value: it reads no clock and draws from its seed only. It keeps no events of others: its
// owner calls advance() when next_change() has come.
#pragma once

#include "partition/base/dice.hpp"
#include "partition/base/event_queue.hpp"
#include "partition/network/due_times.hpp"
#include "partition/network/max_min.hpp"
#include "partition/network/radio_cell.hpp"
#include "partition/network/tcp.hpp"

namespace shingle {

struct NetworkArrival {
  Time at{};
  uint32_t from = 0, to = 0;  // hosts
  uint64_t cargo = 0;         // as given to send()
};

struct ResourceLoad {
  int64_t bytes = 0;  // of messages that have left; twice where a route crosses it twice
  Duration busy{};    // time in which at least one flow took it
};

struct NetworkTotals {  // bytes; in = out: sent = arrived + lost + under_way
  int64_t sent = 0, arrived = 0, lost = 0, under_way = 0;
};

class FluidNetwork {
 public:
  // REQUIRES: a sound topology (defects() is empty).
  FluidNetwork(NetworkTopology topology, const TcpOptions& tcp, uint64_t seed);

  // Messages of a connection arrive in the order of sending. REQUIRES: different hosts, bytes > 0;
  // `now` is not before the last time that was given.
  void send(uint32_t from, uint32_t to, int64_t bytes, uint64_t cargo, Time now);
  // As send(), of a message that the caller delivers itself, at the time returned. None, and
  // nothing is sent: it would be part of a flow, or could be lost.
  std::optional<Time> send_by_hand(uint32_t from, uint32_t to, int64_t bytes, Time now);
  // When advance() must be called next; Time::max(): not before something is sent. It never lies
  // before the last time that was given.
  Time next_change();
  // Appends what arrives up to `now`, in the order of arrival. REQUIRES: now < Time::max().
  void advance(Time now, std::vector<NetworkArrival>& arrivals);
  // The connection ends, and a new one takes its place. What has not left is lost; the result names
  // the cargo. What has left still arrives.
  std::vector<uint64_t> break_connection(uint32_t from, uint32_t to, Time now);
  void set_rate(uint32_t resource, double bytes_per_second,
                Time now);  // REQUIRES: no air; positive
  // A flow that never ends and takes up to this rate. It is not counted in loads and totals.
  // REQUIRES: no cell is simulated turn by turn.
  void add_background(uint32_t from, uint32_t to, double bytes_per_second, Time now);

  const NetworkTopology& topology() const { return layout_.topology; }
  Duration latency(uint32_t from, uint32_t to) const;
  // How long a message alone takes on its way if it is not made a flow.
  Duration small_time(uint32_t from, uint32_t to, int64_t bytes) const;
  ResourceLoad load(uint32_t resource) const;  // until now
  const NetworkTotals& totals() const { return totals_; }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr double sent_up_to = 1e-3;  // bytes; times are whole nanoseconds

  struct Layout {
    NetworkTopology topology;
    TrunkPaths paths{topology};
    bool may_lose = false;  // somewhere
  };
  struct Parcel {
    uint64_t cargo = 0;
    int64_t bytes = 0;
    uint32_t next = none;
  };
  // What carries a connection: one flow through all ports; two flows, one through the first port
  // and one through the others; or only the latter, since all has passed the first port.
  enum class Carried : uint8_t { together, apart, rest };
  struct Queue {  // behind a connection's first port (fluid_queues.cpp)
    Carried carried = Carried::together;
    bool is_full = false;     // and stays so, while the connection is carried together
    double bytes = 0.0;       // in it
    double first_rate = 0.0;  // bytes per nanosecond that enter it, while it is carried apart
    Time steady_until{};      // for a packet's time after each change
  };
  struct Connection {   // with messages that are flows
    double left = 0.0;  // bytes of the first parcel
    double rate = 0.0;  // bytes per nanosecond, since `since`
    Time since{};
    double round_left = MaxMin::no_limit;  // bytes that the window still allows; or no round yet
    uint32_t from = 0, to = 0;
    uint32_t first = none, last = none;  // parcels
    bool active = false;                 // it has a flow just now
    bool endless = false;                // background
    CongestionWindow window;
    Time round_began{}, last_sent{};
    Duration round_waits{};  // how much longer the round's trip is than the window's
    double most = MaxMin::no_limit, limit = MaxMin::no_limit;  // bytes per second
    double loss = 0.0;
    Duration latency{};
    double tail_ns_per_byte = 0.0;  // of the last packet, on all but the slowest resource
    double pending = 0.0;           // bytes of all parcels
    bool held_later = false;        // by a port behind its first one
    Time held_since{};              // when that began
    double served = 0.0;            // bytes since then, until `since`
    Queue queue{};
  };
  struct Pair {  // of hosts
    uint32_t connection = none;
    Time last_arrival{};
    // Small messages that have not left the sender: until when, and their bytes.
    Time small_until{};
    int64_t small_bytes = 0;
  };
  struct Travelling {
    NetworkArrival arrival;
    int64_t bytes = 0;
  };
  struct Resource {
    Time small_free{};  // for the next small message, where this is its first resource
    uint32_t flows = 0;
    Time busy_since{};
    ResourceLoad load;
    std::vector<uint32_t> flows_of;  // air: by sending host; the last one is the access point
    uint32_t senders = 0;            // air
  };
  struct Turns {  // of the only cell
    uint32_t air = 0;
    RadioCell cell;
    std::vector<RadioMessage> arrived{};
  };
  struct Step {
    Time at{};
    uint32_t resource = 0;
    double bytes_per_second = 0.0;
  };

  Pair& pair(uint32_t from, uint32_t to) {
    return pairs_[from * layout_.topology.hosts.size() + to];
  }
  void move_to(Time now);
  void solve();
  void take_step();
  std::optional<Time> cross_small(uint32_t from, uint32_t to, int64_t bytes);
  uint32_t open(uint32_t from, uint32_t to);
  TcpPath measure_route(Connection& connection) const;
  void begin_sending(uint32_t connection);
  void go_on(uint32_t connection);
  void end_round(Connection& connection);
  Time round_end(const Connection& connection) const;
  Duration acknowledgement_wait(uint32_t connection) const;
  void serve(uint32_t connection);
  void depart(Connection& connection);
  void travel(NetworkArrival arrival, int64_t bytes);
  void take_turns();
  Duration late_by_loss(double loss, int64_t segments);
  Duration access_time(const Way& way) const;
  void catch_up(Connection& connection);
  void schedule(uint32_t connection);
  void start_flow(uint32_t connection);
  void stop_flow(uint32_t connection);
  void occupy(uint32_t connection, bool begins);
  void contend(uint32_t resource, uint32_t sender, bool begins);

  // Only ns-3's windows grow after they fill the route, so only they leave bytes in queues.
  bool has_queues() const { return tcp_.slow_start == SlowStart::ns3; }
  uint32_t flows_each() const { return has_queues() ? 3 : 1; }
  // Its flow in rates_. The two after it go through its first port and through the others.
  MaxMin::Flow flow_of(uint32_t connection) const { return connection * flows_each(); }
  void add_flows(const NetworkRoute& forward, const std::vector<ResourceUse>& back);
  void take_rate(MaxMin::Flow flow);
  template <class Visit>
  void each_flow(uint32_t connection, Visit visit) const {  // that carries it just now
    const Carried carried = connections_[connection].queue.carried;
    if (carried == Carried::together) visit(flow_of(connection));
    if (carried == Carried::apart) visit(flow_of(connection) + 1);
    if (carried != Carried::together) visit(flow_of(connection) + 2);
  }
  double wait_behind_flows(uint32_t resource) const;
  double standing_bytes(MaxMin::Flow flow) const;
  void follow_holder(Connection& connection, MaxMin::Flow flow);
  void carry(uint32_t connection, Carried how);
  double until_queue_changes(const Connection& connection) const;
  void fill_queue(Connection& connection, double nanoseconds);
  void follow_queue(uint32_t connection);
  void follow_apart(uint32_t connection);

  Layout layout_;
  TcpOptions tcp_;
  MaxMin rates_;
  Dice dice_;
  Time now_{};
  std::vector<Pair> pairs_;
  std::vector<Connection> connections_;
  std::vector<Parcel> parcels_;
  uint32_t free_parcel_ = none;
  DueTimes due_;  // of connections
  EventQueue<Travelling> travelling_;
  std::vector<Resource> resources_;
  std::vector<Step> steps_;        // the next one last
  std::vector<uint32_t> changed_;  // connections, while solving
  NetworkTotals totals_;
  std::optional<Turns> turns_;
};

}  // namespace shingle
