// Machines with a board: a Device says how long tiles take, what packets cost, how hot and how
// hungry it is, and kills a process that holds too much.
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

namespace {

constexpr int64_t packet_bytes = 1448;  // of payload, in an Ethernet frame

}  // namespace

void VirtualCluster::add_board(Host& host) {
  if (!host.machine.board) return;
  const Machine& machine = host.machine;
  host.board.emplace(
      Board{.device = Device(*machine.board,
                             {.fan = machine.fan,
                              .radio = machine.radio ? RadioState::idle : RadioState::absent,
                              .seed = mix(options_.seed, host.id().value)})});
}

// All changes of a device go through here: power is constant between two of them.
template <class Change>
void VirtualCluster::change_board(Host& host, const Change& change) {
  Board& board = *host.board;
  const double before = board.device.watts();
  board.joules += before * 1e-9 * in_nanoseconds(now() - board.since);
  board.since = now();
  change(board.device);
  ++board.looks;
  const Time next = board.device.next_change();
  if (next != Time::max()) schedule(std::max(next, now()), BoardDue{host.id(), board.looks});
  if (board.device.watts() == before || !options_.on_trace) return;
  TraceEvent event;
  event.kind = TraceEvent::Kind::counted;
  for (const auto& [what, value] : {std::pair("power (W)", board.device.watts()),
                                    std::pair("temperature (degC)", board.device.celsius())}) {
    event.what = what;
    event.value = value;
    tell(host.id(), event);
  }
}

void VirtualCluster::happen(BoardDue& event) {
  Host& subject = host(event.node);
  if (subject.board->looks != event.look) return;
  std::vector<DeviceEvent> ended;
  change_board(subject, [&](Device& device) { device.advance(now(), ended); });
  for (const DeviceEvent& each : ended) {
    if (each.kind != DeviceEvent::Kind::tile) continue;
    auto tile = subject.board->tiles.extract(each.cargo);
    if (tile.empty()) continue;
    auto& [life, order] = tile.mapped();
    schedule(now(), Computed{subject.id(), life, std::move(order), each.ran});
  }
}

void VirtualCluster::happen(Started& event) {
  Host& worker = host(event.node);
  if (worker.life != event.life) return;
  if (worker.ails.hung) return worker.ails.missed.push_back(std::move(event));
  const TileBegun begun{event.order.key, event.order.tile, event.order.place};
  const TileTime time = tile_time(worker, event.order);
  const Duration memory(static_cast<int64_t>(time.memory_ns));
  const TileWork work{
      .compute = Duration(std::max<int64_t>(1000, static_cast<int64_t>(time.compute_ns))),
      .memory = memory,
      .dram_bytes = time.memory_ns * worker.machine.board->memory_gbps,  // GB/s are bytes per ns
      .cores = worker.machine.cores};
  const uint64_t cargo = worker.board->next_cargo++;
  worker.board->tiles.emplace(cargo, std::pair(event.life, std::move(event.order)));
  change_board(worker, [&](Device& device) { device.begin(now(), work, cargo); });
  step(worker, begun);
}

void VirtualCluster::count_packets(Host& host, int64_t sent_bytes, int64_t received_bytes) {
  if (!host.board || !host.board->device.is_on()) return;
  const auto packets = [](int64_t bytes) { return (bytes + packet_bytes - 1) / packet_bytes; };
  const int64_t sent = packets(sent_bytes), received = packets(received_bytes);
  const DevicePower& power = host.machine.board->power;
  host.board->joules += static_cast<double>(sent) * power.sent_packet_joules +
                        static_cast<double>(received) * power.received_packet_joules;
  change_board(host, [&](Device& device) {
    device.packets(now(), {.sent = sent, .received = received}, 0);
  });
}

void VirtualCluster::hold_memory(Host& host) {
  if (!host.board || !host.board->device.is_on()) return;
  bool fits = true;
  change_board(host, [&](Device& device) {
    fits = device.hold(now(), host.machine.resident_bytes + host.meter.bytes());
  });
  if (fits) return;
  host.board->tiles.clear();
  record_.killed.push_back({now(), host.id()});
  schedule(now(), NodeFault{NodeFault::Kind::crash, host.id()});
}

void VirtualCluster::stop_board(Host& host, Ending ending) {
  if (!host.board || !host.board->device.is_on()) return;
  host.board->tiles.clear();
  change_board(host, [&](Device& device) {
    if (ending == Ending::silent)
      device.set_power(now(), false);
    else
      device.stop(now());
  });
}

void VirtualCluster::start_board(Host& host) {
  if (!host.board || host.board->device.is_on()) return;
  change_board(host, [&](Device& device) { device.set_power(now(), true); });
}

void VirtualCluster::slow_down(Host& host, double factor) {
  host.ails.slowness = factor;
  if (host.board && host.board->device.is_on())
    change_board(host, [&](Device& device) { device.set_slowness(now(), factor); });
}

std::optional<BoardState> VirtualCluster::board_state(NodeId id, Time at) const {
  const Host& subject = *hosts_[index_of(id)];
  if (!subject.board) return std::nullopt;
  const Board& board = *subject.board;
  Device device = board.device;  // a copy that goes on until then
  double integral = board.joules;
  Time since = board.since;
  std::vector<DeviceEvent> ended;
  while (since < at) {
    const Time next = std::min(at, device.next_change());
    integral += device.watts() * 1e-9 * in_nanoseconds(next - since);
    device.advance(next, ended);
    since = next;
  }
  return BoardState{.joules = device.joules(),
                    .integral = integral,
                    .celsius = device.celsius(),
                    .clock_ghz = device.clock_ghz(),
                    .throttled = device.throttled_time()};
}

}  // namespace shingle::sim
