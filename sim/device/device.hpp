// Device: a board in virtual time. It runs tiles on its cores, and whatever changes their speed
// while they run (packets, memory traffic of others, throttling, a fault) re-times them.
//
//   begin --> [waiting] --slot--> [running: its share of cores, clock, memory bandwidth] --> ended
//   packets ------------------------------> one core, before any tile
//   watts = idle + busy cores + radio      energy = integral      temperature: RC, from the watts
//
// A tile alone at the nominal clock takes T = compute + memory. While it runs, it does this work at
// the speed
//
//   v = s T / ((compute * nominal clock / clock + memory) * slowness),   at most  b T / bytes
//
// (v = 1: nominal), with s the share of its cores that it gets, and b its max-min fair share of the
// DRAM bandwidth. Watts and speeds are constant between two changes, so times, energy and
// temperature are exact; docs/understand/devices.md has the equations.
//
// A pure value with the verbs of all components in virtual time: what begins is told, next_change()
// says when it must be advanced next, advance() moves it and appends what ended. It owns no queue
// of events, and it draws its jitter from the seed only. Time never goes back.
#pragma once

#include <deque>
#include <vector>

#include "devices/files/device_file.hpp"
#include "sim/device/energy.hpp"
#include "sim/device/heat.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

// What a tile takes, alone on the board at its nominal clock: compute + memory.
struct TileWork {
  Duration compute{};       // scales with the clock
  Duration memory{};        // waits for DRAM: does not
  double dram_bytes = 0.0;  // moved in that time
  int32_t cores = 1;        // that it keeps busy
};

struct DeviceEvent {
  enum class Kind : uint8_t {
    tile,     // has ended
    packets,  // have been processed
    clock,    // has changed: see clock_ghz()
  };
  Kind kind = Kind::tile;
  Time at{};
  uint64_t cargo = 0;  // what the driver gave; clock: 0
  Duration ran{};      // tile: since a slot took it
  friend bool operator==(const DeviceEvent&, const DeviceEvent&) = default;
};

struct DeviceOptions {
  bool fan = false;
  RadioState radio = RadioState::absent;  // at the start
  std::optional<double> celsius{};        // at the start; none: that of the idle board
  uint64_t seed = 1;                      // of the jitter
};

class Device {
 public:
  // It is on at time 0.
  explicit Device(const DeviceSpec& spec, const DeviceOptions& options = {});

  // All that take `now` REQUIRE that nothing is due before it: next_change() >= now, and that the
  // device is on (set_power excepted).

  // --- what begins ---
  // Behind the tiles that wait for a slot. Its jitter is drawn now.
  void begin(Time now, TileWork work, uint64_t cargo);
  // Packets that the network stack processes, behind those before. They take one core; tiles share
  // the others.
  struct Packets {
    int64_t sent = 0, received = 0;
  };
  void packets(Time now, const Packets& packets, uint64_t cargo);

  // --- what is set ---
  void set_radio(Time now, RadioState state);
  void set_slowness(Time now, double factor);  // of tiles and packets; 1: healthy
  // A governor's choice: the fastest clock that is no faster than this; else the slowest.
  void set_highest_clock(Time now, double ghz);
  // Memory that the process holds from now on. False: it is more than the board has, and the
  // process is killed: all that waits or runs is gone, and so is its memory.
  [[nodiscard]] bool hold(Time now, int64_t bytes);
  // The process ends: all that waits or runs is gone, and its memory. The board stays on.
  void stop(Time now);
  void set_power(Time now, bool on);  // off: also stop(); it draws nothing and cools down

  // --- time ---
  Time next_change() const { return next_; }  // Time::max(): never by itself
  // Moves to `now` and appends what happened until then, in the order of time.
  void advance(Time now, std::vector<DeviceEvent>& out);

  // --- what there is to see at the time of the last call ---
  Time now() const { return now_; }
  bool is_on() const { return on_; }
  size_t waiting() const { return waiting_.size(); }
  size_t running() const { return running_.size(); }
  int32_t busy_cores() const { return busy_cores_; }
  double clock_ghz() const { return spec_.clocks[clock_].ghz; }
  bool is_throttled() const { return clock_ > wanted_clock_; }
  double watts() const { return energy_.watts(); }
  double joules() const { return energy_.joules(); }
  double celsius() const { return heat_.celsius(); }
  int64_t memory_bytes() const { return memory_bytes_; }
  int64_t highest_memory_bytes() const { return highest_memory_bytes_; }
  Duration busy_time() const { return busy_time_; }            // of all cores together
  Duration throttled_time() const { return throttled_time_; }  // below the clock that was chosen
  const DeviceSpec& spec() const { return spec_; }

 private:
  struct Tile {
    uint64_t cargo = 0;
    TileWork work;         // with its jitter
    double left_ns = 0.0;  // at nominal speed
    double speed = 0.0;
    Time started{}, ends = Time::max();
  };
  struct PacketWork {
    uint64_t cargo = 0;
    double left_ns = 0.0;  // at the nominal clock
  };

  void move_to(Time now);
  void settle();
  void fill_slots();
  void choose_clock();
  void share_cores();
  void share_memory();
  void update_watts();
  void plan_next();
  void end_due(std::vector<DeviceEvent>& out);
  std::optional<Duration> next_throttling() const;
  double clock_factor() const { return clock_ghz() / spec_.clocks[0].ghz; }

  DeviceSpec spec_;
  DeviceOptions options_;
  Random dice_;
  Time now_{}, next_ = Time::max();
  bool on_ = true;
  double slowness_ = 1.0;
  size_t wanted_clock_ = 0, clock_ = 0;  // indices in spec_.clocks
  size_t throttled_ = 0;                 // steps of spec_.throttle that hold
  std::deque<Tile> waiting_;
  std::vector<Tile> running_;
  std::deque<PacketWork> packets_;
  double packet_speed_ = 0.0;
  Time packets_end_ = Time::max();  // of the first
  int32_t busy_cores_ = 0;
  int64_t memory_bytes_ = 0, highest_memory_bytes_ = 0;
  Duration busy_time_{}, throttled_time_{};
  EnergyMeter energy_;
  HeatModel heat_;
};

// The mean of a tile's time alone, at nominal clock.
inline Duration total(const TileWork& work) { return work.compute + work.memory; }

}  // namespace shingle::sim
