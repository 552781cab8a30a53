#include "devices/kernel_choice.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "devices/kernels/panel.hpp"
#include "devices/native_layer.hpp"
#include "devices/program_check.hpp"
#include "devices/xnn_layer.hpp"
#include "partition/demand.hpp"

namespace shingle {

namespace {

constexpr size_t most_lines = 10'000, longest_line = 300;
constexpr int64_t trial_macs = 10'000'000;  // about a millisecond on a small board's core
constexpr int rounds = 3;

std::string heading() {
  return std::string("shingle kernels 1, ") + kernels::target_name() + ", " + packed_layout();
}

std::string description(const Model& model, const Step& step, int threads) {
  const Layer& layer = model.at(step.layer);
  const auto& op = std::get<Convolution>(layer.op);
  const auto pair = [](int32_t y, int32_t x) {
    return std::to_string(y) + "x" + std::to_string(x);
  };
  return pair(op.y.kernel, op.x.kernel) + " stride " + pair(op.y.stride, op.x.stride) +
         " dilation " + pair(op.y.dilation, op.x.dilation) + " groups " +
         std::to_string(op.groups) + " channels " +
         std::to_string(model.at(layer.inputs[0]).shape.c) + " to " +
         std::to_string(step.output.c.size()) + " columns " + std::to_string(step.output.x.size()) +
         " threads " + std::to_string(threads);
}

// As many rows of the step's output as make a trial.
Region part_to_try(const Model& model, const Step& step) {
  Region region = step.output;
  const int64_t all = std::max<int64_t>(macs(model, step.layer, region), 1);
  const int64_t rows = std::max<int64_t>(trial_macs * region.y.size() / all, 1);
  region.y.end = region.y.begin + static_cast<int32_t>(std::min<int64_t>(rows, region.y.size()));
  return region;
}

// Memory for a map of zeros, beyond whose end XNNPACK may read.
struct Zeros {
  explicit Zeros(const Region& box, MemoryAccount& account) : region(box), buffer(account) {
    const int64_t bytes = box.elements() * 4 + 256;
    buffer.reserve(bytes);
    std::fill_n(buffer.data(), bytes, std::byte{0});
  }
  TensorView view() { return {buffer.data(), region, ElementType::f32}; }
  ConstTensorView seen() const { return {buffer.data(), region, ElementType::f32}; }

  Region region;
  AlignedBuffer buffer;
};

// Both kernels with their weights, on one part of the layer's map.
class Trial {
 public:
  Trial(const Model& model, const Step& step, XnnLayer xnn, const ThreadPool& pool)
      : pool_(pool),
        region_(part_to_try(model, step)),
        held_(demand(model, model.at(step.layer), 0, region_)),
        activation_(model.at(step.layer).activation),
        input_(held_, account_),
        output_(region_, account_),
        own_(model, step.layer, step.algorithm, step.output.c, room_, PackedStore(""), account_),
        xnn_(std::move(xnn)) {
    for (int i = 0; i < pool.threads(); ++i) {
      scratch_.push_back(std::make_unique<NativeScratch>(account_));
      own_.reserve(region_, false, *scratch_.back());
    }
    xnn_.reserve(region_, pool, buffers_);
  }

  void run_own() {
    own_.run({.input = input_.seen(),
              .held = held_,
              .output = output_.view(),
              .region = region_,
              .pool = false,
              .added = {},
              .activation = activation_,
              .added_after_activation = false,
              .scratch = scratch_,
              .pool_of_threads = pool_});
  }

  Status run_xnnpack() {
    return xnn_.run({.input = input_.seen(),
                     .held = held_,
                     .padded = false,
                     .own_memory = true,
                     .output = output_.view(),
                     .region = region_,
                     .buffers = buffers_,
                     .pool = pool_});
  }

 private:
  MemoryAccount account_;
  PackingRoom room_;
  const ThreadPool& pool_;
  Region region_, held_;
  Activation activation_;
  Zeros input_, output_;
  NativeLayer own_;
  XnnLayer xnn_;
  std::vector<std::unique_ptr<NativeScratch>> scratch_;
  StripBuffers buffers_{account_};
};

// The fastest of a few runs by turns: what else the machine does only ever adds.
std::optional<KernelTimes> measured(const Model& model, const Step& step, const ThreadPool& pool,
                                    const KernelChoices::Clock& now) {
  const Span channels = computed_channels(model, model.at(step.layer), step.output.c);
  auto xnn = XnnLayer::make(model, step.layer, channels);
  if (!xnn) return std::nullopt;
  Trial trial(model, step, std::move(*xnn), pool);
  trial.run_own();
  if (!trial.run_xnnpack()) return std::nullopt;
  KernelTimes best{std::numeric_limits<int64_t>::max() / 10,
                   std::numeric_limits<int64_t>::max() / 10};
  const auto micros = [](std::chrono::nanoseconds time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  for (int round = 0; round < rounds; ++round) {
    const auto begin = now();
    trial.run_own();
    const auto middle = now();
    if (!trial.run_xnnpack()) return std::nullopt;
    best.own_us = std::min(best.own_us, micros(middle - begin));
    best.xnnpack_us = std::min(best.xnnpack_us, micros(now() - middle));
  }
  return best;
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

void KernelChoices::read() {
  std::ifstream file(file_);
  std::string line;
  if (!std::getline(file, line) || line != heading()) return;
  while (std::getline(file, line) && times_.size() < most_lines) {
    std::istringstream words(line.substr(0, longest_line));
    std::string who, name;
    KernelTimes times;
    if (!(words >> who >> times.own_us >> times.xnnpack_us) || words.get() != ' ') continue;
    std::getline(words, name);
    constexpr int64_t most_us = 1'000'000'000;
    if (times.own_us < 0 || times.xnnpack_us < 0 || times.own_us > most_us ||
        times.xnnpack_us > most_us)
      continue;
    times_[name] = times;
  }
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
  file.close();
  if (!file || std::rename(fresh.c_str(), file_.c_str()) != 0) ::unlink(fresh.c_str());
}

}  // namespace shingle
