// Source, thieves and gateway as threads of this process, over real sockets on loopback.
#include "bench/ftp/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "apps/system/reserved_ports.hpp"
#include "devices/native/native_executor.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using namespace shingle::ftp;

namespace {

// One machine of the cluster: as fast as this one.
struct Machine {
  NativeExecutor executor;
  BreakablePause pause;
  Pacer pacer{Pace{}, pause.clock()};
  Traffic traffic;

  Setup setup(const Block& block, const Places& places, uint32_t device, uint32_t devices) {
    return {.block = block,
            .places = places,
            .executor = executor,
            .pacer = pacer,
            .traffic = traffic,
            .device = device,
            .devices = devices,
            .poll = std::chrono::milliseconds(1)};
  }
};

struct Outcome {
  std::vector<Merged> frames;
  std::vector<FrameTime> times;
  int64_t sent_bytes = 0;
};

Outcome run(const Model& model, const FtpScheme& scheme, uint32_t thieves, uint32_t frames) {
  const Block block = block_of(model, scheme).value();
  const auto reserved = ReservedPorts::on_loopback(4).value();
  const auto place = [&](size_t which) { return Place{"127.0.0.1", reserved.ports()[which]}; };
  const Places places{place(0), place(1), place(2), place(3)};
  std::vector<Machine> machines(thieves + 2);
  Outcome outcome;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    Gateway gateway(machines[thieves + 1].setup(block, places, thieves + 1, thieves + 1),
                    [&](const Merged& merged) { outcome.frames.push_back(merged); });
    gateway.prepare();
    gateway.run();
  });
  for (uint32_t device = 1; device <= thieves; ++device)
    threads.emplace_back([&, device] {
      Thief thief(machines[device].setup(block, places, device, thieves + 1));
      thief.prepare();
      thief.run();
    });
  {
    Source source(machines[0].setup(block, places, 0, thieves + 1));
    source.prepare();
    source.wait_for_all();
    for (uint32_t frame = 0; frame < frames; ++frame)
      outcome.times.push_back(
          source.run(frame, networks::random_input(model.at(model.inputs[0]).shape, 100 + frame)));
    source.end();
  }
  for (std::thread& thread : threads) thread.join();
  for (const Machine& machine : machines) outcome.sent_bytes += machine.traffic.sent_bytes;
  return outcome;
}

std::vector<Floats> expected(const Model& model, uint32_t frame) {
  NativeExecutor executor;
  const TileProgram program = whole_program(model, WinogradUse::never);
  REQUIRE(executor.prepare(model, {&program, 1}).ok());
  const Floats input = networks::random_input(model.at(model.inputs[0]).shape, 100 + frame);
  return run_program(executor, program, {&input, 1}).value();
}

bool same_bits(const std::vector<Floats>& a, const std::vector<Floats>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Floats& x, const Floats& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  });
}

}  // namespace

TEST_CASE(
    "source, thieves and gateway put out what one machine does, bit for bit, frame by frame") {
  const Model model = networks::make("yolov2", 96).value();
  for (const uint32_t thieves : {0U, 1U, 3U}) {
    const Outcome outcome =
        run(model, {.rows = 3, .columns = 3, .layers = 16, .reuse = true}, thieves, 3);
    REQUIRE(outcome.frames.size() == 3);
    for (const Merged& merged : outcome.frames)
      CHECK(same_bits(merged.outputs, expected(model, merged.frame)));
  }
}

TEST_CASE("alone the source rolls nothing back and sends strips and results, as simulated") {
  const Model model = networks::make("yolov2_front", 96).value();
  const FtpScheme scheme{.rows = 3, .columns = 3, .layers = 16, .reuse = true};
  const Outcome outcome = run(model, scheme, 0, 1);
  CHECK(outcome.times[0].rolled_back == 0);
  const FtpRun simulated =
      simulate_ftp(model, Cluster{{ClusterNode{NodeId{0}}}}, ClusterNode{NodeId{1}}, scheme)
          .value();
  CHECK(outcome.sent_bytes == simulated.wire_bytes());
}

TEST_CASE("without reuse no strip is sent") {
  const Model model = networks::make("yolov2_front", 96).value();
  const Outcome outcome = run(model, {.rows = 2, .columns = 2, .layers = 16}, 1, 1);
  CHECK(outcome.times[0].rolled_back == 0);
  CHECK(same_bits(outcome.frames[0].outputs, expected(model, 0)));
}
