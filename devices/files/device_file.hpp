// DeviceSpec: what the simulation must know of a board besides its speed (that is a profile,
// profile_file.hpp): cores, memory, clocks, heat, power, and what a packet costs. A TOML file in
// which each figure has its unit in its name and its source beside it:
//
//   name = "Raspberry Pi 4B"
//   profile = "pi4"                     # optional: its speed, a ready-made profile or a file
//
//   [compute]
//   cores = 4
//   slots = 1                           # tiles that run at a time; others wait in order
//   jitter = 0.01                       # of a tile's time: standard deviation, relative
//   send_us = 25.0                      # the processor's time for a packet, from the tiles' cores
//   receive_us = 40.0
//
//   [memory]
//   size = "4 GiB"                      # a process that holds more is killed; 0: not known
//   gbps = 5.3                          # GB/s that all cores together move; 0: no limit
//   cache = "1 MiB"                     # the last one: maps that fit are not moved
//
//   [power]                             # of the whole board
//   idle_watts = 2.7
//   busy_watts = [3.6, 4.6, 5.5, 6.4]   # with 1, 2, ... cores busy at the nominal clock
//   radio_watts = [1.055, 0.22, 0.0025] # optional: while it sends, receives, does neither
//   packet_joules = [0.0, 0.0]          # sent, received; besides the processor's share
//
//   [heat]                              # optional: without it the board stays cool
//   ambient_celsius = 25.0
//   bare_kelvin_per_watt = 9.0          # from the chip to the air: bare, ...
//   fan_kelvin_per_watt = 4.0           # ... and with a fan
//   joules_per_kelvin = 30.0            # heat capacity
//
//   [[clock]]                           # the first is the nominal one, for which the profile
//   ghz = 1.8                           # holds; then slower ones
//   power = 1.0                         # of a busy core, relative to the nominal clock
//
//   [[throttle]]                        # optional, ascending: from this temperature on ...
//   celsius = 80.0
//   ghz = 1.0                           # ... no faster than this clock, ...
//   below_celsius = 75.0                # ... until it is cooler than this
//
//   [sources]                           # one for each table or figure
//   power = "measured"
//   "power.radio_watts" = "802.11n, 20 MHz"
//
// An unknown key, a missing figure and a figure without a source are errors that name the line.
// Parsing the printed text gives the same value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/base/time.hpp"

namespace shingle {

struct ClockStep {
  double ghz = 1.0;
  double power = 1.0;  // of a busy core, relative to that at the nominal clock
  friend bool operator==(const ClockStep&, const ClockStep&) = default;
};

struct ThrottleStep {
  double celsius = 80.0, below_celsius = 75.0;
  double ghz = 1.0;
  friend bool operator==(const ThrottleStep&, const ThrottleStep&) = default;
};

enum class RadioState : uint8_t { absent, sending, receiving, idle };

struct RadioPower {
  double sending_watts = 0.0, receiving_watts = 0.0, idle_watts = 0.0;
  friend bool operator==(const RadioPower&, const RadioPower&) = default;
};

struct DevicePower {
  double idle_watts = 0.0;
  std::vector<double> busy_watts{};  // of the whole board, with 1, 2, ... cores busy
  std::optional<RadioPower> radio{};
  double sent_packet_joules = 0.0, received_packet_joules = 0.0;
  friend bool operator==(const DevicePower&, const DevicePower&) = default;
};

struct DeviceHeat {
  double ambient_celsius = 25.0;
  double bare_kelvin_per_watt = 0.0, fan_kelvin_per_watt = 0.0;
  double joules_per_kelvin = 0.0;
  friend bool operator==(const DeviceHeat&, const DeviceHeat&) = default;
};

// A switch or an access point is one as well: it has no profile, and no tile begins on it.
struct DeviceSpec {
  std::string name;
  std::string profile{};
  int32_t cores = 1;
  int32_t slots = 1;
  double jitter = 0.0;
  Duration send_packet{}, receive_packet{};
  int64_t memory_bytes = 0;
  double memory_gbps = 0.0;
  int64_t cache_bytes = 0;
  DevicePower power{};
  std::optional<DeviceHeat> heat{};
  std::vector<ClockStep> clocks{ClockStep{}};  // never empty; descending
  std::vector<ThrottleStep> throttle{};        // ascending in celsius, descending in ghz
  std::map<std::string, std::string>
      sources{};  // by table ("power") or figure ("power.idle_watts")
  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

// `file_name` is only for the error: "pi.toml:7: ...". The text may be hostile.
Result<DeviceSpec> parse_device(std::string_view text, std::string_view file_name);
std::string print(const DeviceSpec& spec);

// The boards of devices/boards/ without ".toml": "pi3b", "pi3bplus", "pi4", "pi5", "jetson_nano",
// "orin_nano", "switch", "access_point". They are compiled in.
std::vector<std::string> device_names();
std::optional<std::string_view> device_text(std::string_view name);

// A ready-made board, or a file "....toml" in `folder`.
Result<DeviceSpec> find_device(const std::string& name, const std::string& folder);

}  // namespace shingle
