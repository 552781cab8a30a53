// The device's part of `tools/bench sim`: Pi 3 tiles, retargeting, DeepThings' published latencies,
// closed forms. Its keys stand in the last line with --json.
//
//   bench-sim-devices [--json]
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "devices/measure/tile_fit.hpp"
#include "devices/plain/double_math.hpp"
#include "partition/deepthings/ftp_frame.hpp"
#include "sim/device/device.hpp"
#include "tests/places.hpp"

namespace shingle::bench {
namespace {

using Tables = std::vector<TileTable>;

std::string shared_folder() {
  const char* data = std::getenv("SHINGLE_DATA");
  return (data != nullptr ? data : source_folder() + "/../shared/data") +
         std::string("/pi3-tile-times");
}

struct Errors {
  double sum = 0.0, worst = 0.0;
  size_t count = 0;
  void add(double error) {
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
    ++count;
  }
  double mean() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
};

Tables some(const Tables& tables, int32_t grid, int32_t cores) {
  Tables chosen;
  for (const TileTable& table : tables)
    if ((grid == 0 || table.rows == grid) && table.cores == cores) chosen.push_back(table);
  return chosen;
}

// --- Pi 3 tiles
// -----------------------------------------------------------------------------------

struct TwoErrors {
  double mean = 0.0, worst = 0.0;  // the larger of all cases
};

TwoErrors pi3_tiles(const Tables& tables) {
  std::printf(
      "\nPi 3 tiles, costs fitted to one grid and held against the other (targets: mean 2, "
      "worst 8 %%)\n%-28s %5s %7s %8s\n",
      "", "tiles", "mean %", "worst %");
  TwoErrors largest;
  for (int32_t cores : {1, 2}) {
    for (int32_t grid : {3, 4}) {
      const int32_t other = 7 - grid;
      const DarknetCost cost = fit_darknet(must(tile_samples(some(tables, grid, cores))));
      const TileErrors errors = errors_of(cost, must(tile_samples(some(tables, other, cores))));
      std::printf("%d core%s, %dx%d -> %dx%d %11s %5zu %7.2f %8.2f\n", cores,
                  cores == 1 ? " " : "s", grid, grid, other, other, "", errors.count,
                  100.0 * errors.mean, 100.0 * errors.worst);
      largest = {std::max(largest.mean, errors.mean), std::max(largest.worst, errors.worst)};
    }
  }
  return largest;
}

// --- retargeting
// ----------------------------------------------------------------------------------

struct Retargeted {
  double mean = 0.0, worst = 0.0;  // the largest of all seeds
  double mean_of_means = 0.0;
};

Retargeted retargeting(const Tables& tables) {
  constexpr uint64_t seeds = 200;
  const Tables here = some(tables, 0, 1), there = some(tables, 0, 2);
  const auto samples = must(tile_samples(here));
  const auto tiles = matched(here, samples, there, must(tile_samples(there)));
  Retargeted largest;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    std::vector<bool> is_drawn(tiles.size(), false);
    std::vector<ProbeTile> probe;
    for (size_t index : draw_probe(tiles, std::chrono::seconds(5), seed)) {
      is_drawn[index] = true;
      probe.push_back(tiles[index]);
    }
    const Retargeting carried = retarget(samples, probe);
    Errors rest;
    for (size_t i = 0; i < tiles.size(); ++i)
      if (!is_drawn[i]) rest.add(retargeted_ns(carried, tiles[i].here) / tiles[i].there_ns - 1.0);
    largest.mean = std::max(largest.mean, rest.mean());
    largest.worst = std::max(largest.worst, rest.worst);
    largest.mean_of_means += rest.mean() / seeds;
  }
  std::printf(
      "\nRetargeting: 2 cores from 1 and drawn tiles of 5 s, these left out; %d draws "
      "(targets: mean 2, worst 6 %%)\nmean of means %.2f %%, largest mean %.2f %%, worst "
      "tile of any draw %.2f %%\n",
      static_cast<int>(seeds), 100.0 * largest.mean_of_means, 100.0 * largest.mean,
      100.0 * largest.worst);
  return largest;
}

// --- DeepThings
// -----------------------------------------------------------------------------------

struct Published {
  int32_t grid = 3;
  uint32_t devices = 1;
  double seconds = 0.0;
};
// Zhao et al. 2018: with reuse.
constexpr Published published[] = {{3, 1, 18.2}, {3, 2, 11.5}, {3, 4, 7.2}, {3, 6, 6.3},
                                   {5, 1, 24.9}, {5, 2, 14.3}, {5, 4, 7.8}, {5, 6, 7.0}};

// As the shared tables say: tiles, where there are some, loading and packets.
struct DeepThingsSet {
  const TileTable& table_3x3;
  PacketCosts packets;
};

// DeepThings' gateway prints the time from the start to the last result, divided by the frames; its
// authors set four frames. Who wins a race for a tile is drawn: the mean of many such runs.
struct Simulated {
  double seconds = 0.0, shortest = 0.0, longest = 0.0;  // a frame
  double mebibytes = 0.0, rolled_back = 0.0;            // likewise
};

Simulated deepthings_runs(const DeepThingsSet& set, const Published& at) {
  constexpr double mbps = 38.0;
  constexpr uint32_t frames = 4, draws = 200;
  constexpr double repeats_differ = 0.002;  // tiles on one core, in the tables
  FtpScheme scheme = as_on_pi3({.rows = at.grid, .columns = at.grid, .reuse = true});
  scheme.loading = set.table_3x3.loading;
  scheme.boards.send_packet = set.packets.send;
  scheme.boards.receive_packet = set.packets.receive;
  Cluster cluster;
  for (uint32_t i = 0; i < at.devices; ++i)
    cluster.nodes.push_back(
        {.id = NodeId{i}, .link_mbps = mbps, .link_latency_us = pi3_latency_us});
  cluster.medium_mbps = mbps;
  ClusterNode gateway = cluster.nodes[0];
  gateway.id = NodeId{99};
  const auto measured = at.grid == 3 ? must(tile_times(set.table_3x3)) : std::vector<FtpTileTime>();
  const Model model = yolov2_block();
  const FtpBlock block = must(ftp_block(model, scheme));
  FtpFrame frame = must(ftp_frame(model, block, cluster, gateway, measured));
  frame.frames = frames;
  FtpChance chance{.jitter = std::vector<double>(at.devices, repeats_differ), .phases = true};
  Simulated mean{.shortest = 1e9};
  for (; chance.seed < draws; ++chance.seed) {
    const FtpRun run = run_ftp_frame(frame, chance);
    const double seconds = 1e-9 * in_nanoseconds(run.latency) / frames;
    mean.seconds += seconds / draws;
    mean.shortest = std::min(mean.shortest, seconds);
    mean.longest = std::max(mean.longest, seconds);
    mean.mebibytes += static_cast<double>(run.wire_bytes()) / (1 << 20) / (frames * draws);
    mean.rolled_back += static_cast<double>(run.rolled_back) / (frames * draws);
  }
  return mean;
}

Errors deepthings(const Tables& tables) {
  const auto table = std::find_if(tables.begin(), tables.end(), [](const TileTable& each) {
    return each.name == "3x3_grid_16_layers_1_core";
  });
  const DeepThingsSet set{*table, must(load_packet_costs(shared_folder() + "/lwip_1_core.prof"))};
  std::printf(
      "\nDeepThings, 38 Mb/s to the access point, four frames, nothing fitted to these (targets: "
      "mean 4, worst 10 %%; *: tiles extrapolated)\n%-14s %9s %10s %7s %15s %5s %7s\n",
      "", "paper s", "simulated", "error %", "of 200 draws", "MiB", "rolled");
  Errors errors;
  for (const Published& at : published) {
    const Simulated runs = deepthings_runs(set, at);
    const double error = runs.seconds / at.seconds - 1.0;
    std::printf("%dx%d%s %u device%s %9.1f %10.2f %7.1f %7.2f-%7.2f %5.1f %7.1f\n", at.grid,
                at.grid, at.grid == 3 ? ", " : "*,", at.devices, at.devices == 1 ? " " : "s",
                at.seconds, runs.seconds, 100.0 * error, runs.shortest, runs.longest,
                runs.mebibytes, runs.rolled_back);
    errors.add(error);
  }
  std::printf("mean %.1f %%, worst %.1f %%\n", 100.0 * errors.mean(), 100.0 * errors.worst);
  return errors;
}

// --- closed forms
// ---------------------------------------------------------------------------------

DeviceSpec named(const char* name) {
  DeviceSpec spec;
  spec.name = name;
  return spec;
}

DeviceSpec heated() {
  DeviceSpec spec = named("heated");
  spec.cores = 4;
  spec.power = {.idle_watts = 2.0, .busy_watts = {3.0, 4.0, 4.5, 5.0}};
  spec.heat = DeviceHeat{.ambient_celsius = 20.0,
                         .bare_kelvin_per_watt = 10.0,
                         .fan_kelvin_per_watt = 4.0,
                         .joules_per_kelvin = 30.0};
  return spec;
}

void heat_and_energy(Errors& errors) {
  using namespace std::chrono_literals;
  sim::Device device(heated());
  std::vector<sim::DeviceEvent> events;
  device.begin(Time{}, {.compute = 200s, .cores = 4}, 1);
  for (Duration now{}; now < 500s; now += 7s) {
    device.advance(Time{} + now, events);
    const double t = 1e-9 * in_nanoseconds(now);
    const double hot = 70.0 - 30.0 * std::exp(-std::min(t, 200.0) / 300.0);
    const double celsius = t <= 200.0 ? hot : 40.0 + (hot - 40.0) * std::exp(-(t - 200.0) / 300.0);
    const double joules = 2.0 * t + 3.0 * std::min(t, 200.0);
    errors.add(device.celsius() / celsius - 1.0);
    if (t > 0.0) errors.add(device.joules() / joules - 1.0);
  }
}

// The mean wait of tiles that arrive at random at a device that takes one after the other, against
// the formula at the load that was drawn.
double md1_error(double load) {
  constexpr auto service = std::chrono::milliseconds(10);
  constexpr uint64_t tiles = 20'000'000;
  sim::Device device(named("server"));
  sim::Random random(sim::mix(1));
  std::vector<Time> arrived(1 << 20);  // a ring: far more than ever wait
  std::vector<sim::DeviceEvent> ended;
  Time now{};
  double waited = 0.0;
  const auto take = [&] {
    for (const sim::DeviceEvent& event : ended)
      waited += in_nanoseconds(event.at - arrived[event.cargo % arrived.size()] - service);
    ended.clear();
  };
  for (uint64_t i = 0; i < tiles; ++i) {
    now += Duration(static_cast<int64_t>(-in_nanoseconds(service) / load *
                                         double_math::natural_log(1.0 - random.uniform())));
    device.advance(now, ended);
    take();
    arrived[i % arrived.size()] = now;
    device.begin(now, {.compute = service}, i);
  }
  device.advance(now + 100'000 * service, ended);
  take();
  const double drawn = in_nanoseconds(service) * static_cast<double>(tiles) /
                       in_nanoseconds(arrived[(tiles - 1) % arrived.size()] - Time{});
  const double formula = drawn * in_nanoseconds(service) / (2.0 * (1.0 - drawn));
  return waited / static_cast<double>(tiles) / formula - 1.0;
}

double closed_forms() {
  Errors errors;
  heat_and_energy(errors);
  std::printf("\nClosed forms (target: 0.1 %%)\nheat and energy: worst %.5f %%\n",
              100.0 * errors.worst);
  for (double load : {0.3, 0.5}) {
    const double error = md1_error(load);
    std::printf("M/D/1 at a load of %.1f: %.4f %%\n", load, 100.0 * error);
    errors.add(error);
  }
  return errors.worst;
}

int run(const CommandLine& line) {
  nlohmann::ordered_json json;
  json["closed_forms_devices"] = closed_forms();
  if (std::ifstream(shared_folder() + "/3x3_grid_16_layers_1_core.prof")) {
    const Tables tables = must(load_tile_tables(shared_folder()));
    const TwoErrors tiles = pi3_tiles(tables);
    json["pi3_mean_error"] = tiles.mean;
    json["pi3_worst_error"] = tiles.worst;
    const Retargeted carried = retargeting(tables);
    json["retarget_error"] = carried.mean;
    json["retarget_worst_error"] = carried.worst;
    const Errors latencies = deepthings(tables);
    json["deepthings_mean_error"] = latencies.mean();
    json["deepthings_worst_error"] = latencies.worst;
  } else {
    std::printf("\nskipped: no pi3-tile-times in the shared data\n");
  }
  if (line.json) std::printf("%s\n", json.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace shingle::bench

int main(int argc, char** argv) { return shingle::bench::run(shingle::bench::parse(argc, argv)); }
