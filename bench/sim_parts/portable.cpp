// `arm64_equal` of `tools/bench sim`: trace hashes of 20 experiments, for other machines to
// compare (tools/arm64 sim).
//
//   bench-sim-portable        one line for each: number, seed, hash
#include <cinttypes>
#include <cstdio>
#include <string>

#include "partition/base/dice.hpp"
#include "sim/experiment/seed_run.hpp"
#include "sim/scenario_script.hpp"

namespace shingle::bench {
namespace {

constexpr int experiments = 20;

// Boards with heat and jitter; every second one on Wi-Fi, the others with ports and losses.
std::string nodes_of(Dice& dice, bool on_wifi, size_t count) {
  static constexpr const char* boards[] = {"pi3b", "pi4", "pi5"};
  std::string text = on_wifi ? "[[cell]]\nname = \"garden\"\n" : "[network]\nmbps = 50.0\n";
  for (size_t i = 1; i <= count; ++i) {
    text += "[[node]]\nid = " + std::to_string(i) + "\nboard = \"" + boards[dice.below(3)] + "\"\n";
    text += on_wifi ? "at = \"garden\"\n" : "loss = 0.002\n";
    if (dice.below(2) == 0) text += "fan = true\n";
  }
  return text;
}

// Of the last node, which owns no frames.
std::string faults_of(Dice& dice, size_t count) {
  static constexpr const char* kinds[] = {"crash", "power_off", "hang", "stall", "slow"};
  const size_t kind = dice.below(5);
  std::string text = "[[fault]]\nat = \"2.5 s\"\nkind = \"" + std::string(kinds[kind]) +
                     "\"\nnode = " + std::to_string(count) + "\n";
  if (kind == 4) text += "factor = 3.0\n";
  if (kind < 2)
    text += "[[fault]]\nat = \"4 s\"\nkind = \"restart\"\nnode = " + std::to_string(count) + "\n";
  return text;
}

std::string experiment_text(Dice& dice, int number) {
  const size_t count = 2 + dice.below(4);
  std::string text = "duration = \"6 s\"\nwarm_up = \"1 s\"\n";
  text += nodes_of(dice, number % 2 == 0, count);
  text +=
      "[[model]]\ninput = \"96x96x3\"\nlayers = [\"conv3:16\", \"pool2\", \"conv3:32\", "
      "\"pool2\", \"conv3:64\", \"conv1:32\", \"conv3:64\"]\n";
  text += "[[source]]\nowner = 1\narrivals = \"poisson\"\nrate = \"8 /s\"\n";
  if (dice.below(2) == 0) text += "[[source]]\nowner = 1\nrate = \"3 /s\"\n";
  return text + faults_of(dice, count);
}

Result<uint64_t> hash_of(const std::string& text, uint64_t seed) {
  auto file = parse_experiment(text, "portable");
  if (!file) return file.failure();
  auto model = sim::described_model(file->models[0].input, file->models[0].layers);
  if (!model) return Error{"the model is none"};
  const auto shared = std::make_shared<const Model>(std::move(*model));
  const auto experiment = sim::prepare(std::move(*file), {{.name = "model1", .model = shared}});
  if (!experiment) return experiment.failure();
  const auto run = sim::run_seed(*experiment, seed);
  if (!run) return run.failure();
  if (!run->breaches.empty()) return Error{run->breaches.front()};
  return run->trace_hash;
}

}  // namespace
}  // namespace shingle::bench

int main() {
  shingle::Dice dice(17);
  for (int number = 1; number <= shingle::bench::experiments; ++number) {
    const std::string text = shingle::bench::experiment_text(dice, number);
    const auto seed = static_cast<uint64_t>(number);
    const auto hash = shingle::bench::hash_of(text, seed);
    if (!hash) return std::fprintf(stderr, "%d: %s\n", number, hash.error().c_str()), 1;
    std::printf("%2d %016" PRIx64 "\n", number, *hash);
  }
}
