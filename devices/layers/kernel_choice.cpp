#include "devices/layers/kernel_choice.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "devices/executor/program_check.hpp"
#include "devices/executor/weighted_window.hpp"
#include "devices/kernels/panel.hpp"

namespace shingle {

namespace {

constexpr size_t most_lines = 10'000, longest_line = 300;
constexpr int64_t trial_macs = 10'000'000;  // about a millisecond on a small board's core
constexpr int64_t most_macs = 100'000'000;
constexpr int64_t run_us = 250;  // of a candidate: with all rounds a few milliseconds a layer
constexpr int rounds = 3;
constexpr int64_t no_time = std::numeric_limits<int64_t>::max() / 20;

std::string heading() {
  return std::string("shingle kernels 2, ") + kernels::target_name() + ", " + packed_layout();
}

std::string description(const Model& model, const Step& step, int threads) {
  const Layer& layer = model.at(step.layer);
  const WeightedWindow op = *weighted_window(layer);
  const auto pair = [](int32_t y, int32_t x) {
    return std::to_string(y) + "x" + std::to_string(x);
  };
  return (op.transposed ? "transposed " : "") + pair(op.y.kernel, op.x.kernel) + " stride " +
         pair(op.y.stride, op.x.stride) + " dilation " + pair(op.y.dilation, op.x.dilation) +
         " groups " + std::to_string(op.groups) + " channels " +
         std::to_string(model.at(layer.inputs[0]).shape.c) + " to " +
         std::to_string(step.output.c.size()) + " columns " + std::to_string(step.output.x.size()) +
         " threads " + std::to_string(threads);
}

// The fastest of a few runs by turns: what else the machine does only ever adds.
std::optional<KernelTimes> measured(const Model& model, const Step& step, const ThreadPool& pool,
                                    const TrialClock& now) {
  const Span channels = computed_channels(model, model.at(step.layer), step.output.c);
  auto xnn = XnnLayer::make(model, step.layer, channels);
  if (!xnn) return std::nullopt;
  MemoryAccount account;
  PackingRoom room;
  const NativeLayer own(model, step.layer, step.algorithm, step.output.c, room, PackedStore(""),
                        account);
  KernelTrial trial(model, step, part_to_try(model, step, trial_macs), pool);
  trial.reserve(own);
  trial.reserve(*xnn);
  trial.run(own);
  if (!trial.run(*xnn)) return std::nullopt;
  KernelTimes best{no_time, no_time};
  bool runs = true;
  for (int round = 0; round < rounds; ++round) {
    best.own_us = std::min(best.own_us, microseconds_of(now, [&] { trial.run(own); }));
    best.xnnpack_us = std::min(best.xnnpack_us,
                               microseconds_of(now, [&] { runs = trial.run(*xnn).ok() && runs; }));
  }
  if (!runs) return std::nullopt;
  return best;
}

// So many rows that a run takes about `run_us`, as one of a few rows says.
Region part_for_blocks(const Model& model, const Step& step, NativeLayer& layer,
                       const ThreadPool& pool, const TrialClock& now) {
  const Region part = part_to_try(model, step, trial_macs);
  KernelTrial trial(model, step, part, pool);
  trial.reserve(layer);
  trial.run(layer);
  const int64_t took = std::max<int64_t>(microseconds_of(now, [&] { trial.run(layer); }), 1);
  if (took >= run_us) return part;
  return part_to_try(model, step, macs(model, step.layer, part) * run_us / took);
}

// The usual way unless another is faster by a twentieth: less is noise.
BlockTimes fastest(const std::vector<KernelBlocks>& ways, const std::vector<int64_t>& took) {
  const auto best = static_cast<size_t>(std::min_element(took.begin(), took.end()) - took.begin());
  const size_t chosen = took[best] * 20 < took[0] * 19 ? best : 0;
  return {ways[chosen], took[0], took[chosen]};
}

BlockTimes measured_blocks(const Model& model, const Step& step, NativeLayer& layer,
                           const ThreadPool& pool, const TrialClock& now) {
  layer.cut({});
  const Region part = part_for_blocks(model, step, layer, pool, now);
  const std::vector<KernelBlocks> ways = layer.ways_to_cut(part);
  if (ways.size() == 1) return {};
  KernelTrial trial(model, step, part, pool);
  for (const KernelBlocks& way : ways) {
    layer.cut(way);
    trial.reserve(layer);
  }
  trial.run(layer);
  std::vector<int64_t> took(ways.size(), no_time);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < ways.size(); ++i) {
      layer.cut(ways[i]);
      took[i] = std::min(took[i], microseconds_of(now, [&] { trial.run(layer); }));
    }
  }
  return fastest(ways, took);
}

std::string kind_of(const NativeLayer& layer) {
  if (layer.algorithm() == Algorithm::direct) return "direct ";
  return layer.keeps_transformed() ? "winograd kept " : "winograd ";
}

}  // namespace

KernelChoices::KernelChoices(std::string file, Clock now)
    : file_(std::move(file)), now_(std::move(now)) {
  if (!now_) now_ = [] { return std::chrono::steady_clock::now().time_since_epoch(); };
  if (!file_.empty()) read();
}

bool KernelChoices::xnnpack(const Model& model, const Step& step, const ThreadPool& pool) {
  const Layer& layer = model.at(step.layer);
  const bool a_choice = !file_.empty() && kernels::fuses_multiply_add() &&
                        runs_on_xnnpack(model, layer) && has_weights(model, layer);
  if (!a_choice) return false;
  const std::string name = description(model, step, pool.threads());
  const auto known = times_.find(name);
  if (known != times_.end()) return known->second.xnnpack();
  const auto times = measured(model, step, pool, now_);
  if (!times) {
    times_[name] = {};  // ours, and no second try: all steps of a pass must hear the same
    return false;
  }
  times_[name] = *times;
  keep();
  return times->xnnpack();
}

KernelBlocks KernelChoices::blocks(const Model& model, const Step& step, NativeLayer& layer,
                                   const ThreadPool& pool) {
  // On a slow board the least part of a larger layer would take more than its share of a start.
  const bool too_large = macs(model, step.layer, part_to_try(model, step, 1)) > most_macs;
  if (file_.empty() || too_large || layer.ways_to_cut(step.output).size() == 1) return {};
  const std::string name = kind_of(layer) + description(model, step, pool.threads());
  const auto known = blocks_.find(name);
  if (known != blocks_.end()) return known->second.best;
  const BlockTimes times = measured_blocks(model, step, layer, pool, now_);
  blocks_[name] = times;
  keep();
  return times.best;
}

void KernelChoices::read() {
  std::ifstream file(file_);
  std::string line;
  if (!std::getline(file, line) || line != heading()) return;
  while (std::getline(file, line) && times_.size() + blocks_.size() < most_lines)
    read_line(line.substr(0, longest_line));
}

namespace {

// Two times in microseconds, a blank, and the layer that they are of.
struct Measured {
  int64_t first_us = 0, second_us = 0;
  std::string name;
};

std::optional<Measured> read_measured(std::istringstream& words) {
  Measured read;
  constexpr int64_t most_us = 1'000'000'000;
  if (!(words >> read.first_us >> read.second_us) || words.get() != ' ') return std::nullopt;
  std::getline(words, read.name);
  const auto possible = [](int64_t us) { return us >= 0 && us <= most_us; };
  if (!possible(read.first_us) || !possible(read.second_us)) return std::nullopt;
  return read;
}

std::optional<KernelBlocks> read_blocks(std::istringstream& words) {
  KernelBlocks blocks;
  constexpr int32_t most_tiles = 4096, most_depth = 4096;
  if (!(words >> blocks.batch >> blocks.tiles >> blocks.depth)) return std::nullopt;
  const auto within = [](int32_t value, int32_t most) { return value >= 0 && value <= most; };
  const bool possible = within(blocks.batch, kernels::max_batch) &&
                        within(blocks.tiles, most_tiles) && within(blocks.depth, most_depth);
  return possible ? std::optional(blocks) : std::nullopt;
}

}  // namespace

void KernelChoices::read_line(const std::string& line) {
  std::istringstream words(line);
  std::string who;
  words >> who;
  std::optional<KernelBlocks> blocks;
  if (who == "blocks" && !(blocks = read_blocks(words))) return;
  const std::optional<Measured> times = read_measured(words);
  if (!times) return;
  if (blocks)
    blocks_[times->name] = {*blocks, times->first_us, times->second_us};
  else
    times_[times->name] = {times->first_us, times->second_us};
}

// As well as may be: what is not kept is measured again.
void KernelChoices::keep() const {
  std::error_code ignored;
  const std::filesystem::path path(file_);
  if (std::filesystem::create_directories(path.parent_path(), ignored))
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, ignored);
  const std::string fresh = file_ + "." + std::to_string(::getpid()) + ".new";
  std::ofstream file(fresh, std::ios::trunc);
  file << heading() << "\n";
  for (const auto& [name, times] : times_)
    file << (times.xnnpack() ? "xnnpack " : "own ") << times.own_us << " " << times.xnnpack_us
         << " " << name << "\n";
  for (const auto& [name, times] : blocks_)
    file << "blocks " << times.best.batch << " " << times.best.tiles << " " << times.best.depth
         << " " << times.usual_us << " " << times.best_us << " " << name << "\n";
  file.close();
  if (!file || std::rename(fresh.c_str(), file_.c_str()) != 0) ::unlink(fresh.c_str());
}

}  // namespace shingle
