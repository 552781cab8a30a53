// The sweep's part of `tools/bench sim`: NoSSim's whole space from an empty cache, 100 drawn
// designs run alone, what the front owes to idle power and to fast radios, and how near NSGA-II
// comes with 1,152 evaluations. Its keys stand in the last line with --json.
//
//   bench-sim-sweep [--json] [--threads N] [--seed N] [--part N]     --part: each Nth design only
#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/sweep/run_sweep.hpp"
#include "apps/system/temporary_folder.hpp"
#include "bench/measure.hpp"
#include "sim/sweep/nsga2.hpp"
#include "tests/places.hpp"

namespace shingle::bench {
namespace {

using namespace sim;

constexpr size_t alone_designs = 100;
constexpr uint32_t evaluations = 1152, search_seeds = 10;

struct Options {
  bool json = false;
  uint32_t threads = std::max(1U, std::thread::hardware_concurrency());
  uint64_t seed = 1;
  uint32_t part = 1;
};

struct Space {
  PreparedSweep sweep;
  SweepTable table;
  double seconds = 0.0;
};

Space run_space(const Options& options) {
  Space space{must(prepare_sweep(source_folder() + "/examples/experiments/nossim_space.toml")), {}};
  const auto folder = must(TemporaryFolder::make());
  const Shard shard{0, options.part, "--part"};
  const SweepSize size = must(size_of(space.sweep, shard));
  SweepHeader header = header_of(space.sweep, size.designs);
  std::vector<std::string> notes;
  auto store = must(ResultStore::open(folder.path(), header, shard, notes));
  const auto begin = std::chrono::steady_clock::now();
  SweepOutcome outcome =
      must(run_sweep(space.sweep, store, {.threads = options.threads, .shard = shard}));
  space.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  space.table = std::move(header.table);
  space.table.results = std::move(outcome.results);
  return space;
}

size_t runs_of(const SweepTable& table) {
  size_t runs = 0;
  for (const DesignResult& result : table.results) runs += result.figures.size();
  return runs;
}

// Designs that, run alone by a new runner, give other bytes than in the sweep.
size_t unlike_alone(const Space& space, uint64_t seed) {
  Dice dice(mixed_bits(seed));
  size_t unlike = 0;
  for (size_t i = 0; i < alone_designs; ++i) {
    const DesignResult& result = space.table.results[dice.below(space.table.results.size())];
    const std::string key = key_of(space.sweep, result.design);
    if (line_of(DesignRunner(space.sweep).run(result.design), key) != line_of(result, key))
      ++unlike;
  }
  return unlike;
}

// The table as if the other energy were the objective.
SweepTable without_idle(SweepTable table) {
  std::swap(table.figures[1], table.figures[2]);
  for (DesignResult& result : table.results)
    for (auto& figures : result.figures) std::swap(figures[1], figures[2]);
  return table;
}

// Without the radio modes that are faster than 72 Mb/s.
SweepTable slow_radios(SweepTable table) {
  constexpr uint32_t modes = 3;  // 11, 54, 72 Mb/s
  std::erase_if(table.results,
                [](const DesignResult& result) { return result.design[0] >= modes; });
  return table;
}

std::vector<Design> front_designs(const SweepTable& table) {
  const SweepAnalysis analysis = analyse(table);
  std::vector<Design> designs;
  for (const size_t place : analysis.front)
    designs.push_back(table.results[analysis.feasible[place]].design);
  return designs;
}

void print_front(const char* title, const SweepTable& table) {
  const SweepAnalysis analysis = analyse(table);
  std::printf("\n%s: %zu designs on the front, hypervolume %.4f\n", title, analysis.front.size(),
              analysis.hypervolume);
  const auto print_row = [&](size_t row) {
    const size_t place = analysis.front[row];
    const DesignResult& result = table.results[analysis.feasible[place]];
    std::string words;
    for (size_t i = 0; i < table.axes.size(); ++i)
      words += (i == 0 ? "" : " ") + table.axes[i].values[result.design[i]];
    std::printf("  %-34s %9.0f ms %8.2f J, ties %zu%s\n", words.c_str(),
                analysis.figures[place][0].mean, analysis.figures[place][1].mean,
                analysis.ties[row].size(), result.extrapolated.empty() ? "" : " *");
  };
  const size_t step = std::max<size_t>(1, analysis.front.size() / 8);
  for (size_t row = 0; row < analysis.front.size(); row += step) print_row(row);
  for (size_t axis = 0; axis < table.axes.size(); ++axis)
    std::printf("  %-20s explains %5.1f %% of latency, %5.1f %% of energy\n",
                table.axes[axis].name.c_str(), 100.0 * analysis.effects[0][axis].share,
                100.0 * analysis.effects[1][axis].share);
}

// How many of the one front are on the other.
size_t shared(const std::vector<Design>& a, const std::vector<Design>& b) {
  return static_cast<size_t>(std::ranges::count_if(
      a, [&](const Design& design) { return std::ranges::find(b, design) != b.end(); }));
}

void print_moves(const SweepTable& table) {
  const SweepTable active = without_idle(table);
  print_front("With idle energy", table);
  print_front("Without idle energy", active);
  print_front("With idle energy, at most 72 Mb/s", slow_radios(table));
  const auto with = front_designs(table), without = front_designs(active),
             slow = front_designs(slow_radios(table));
  std::printf(
      "\nDoes the front move? Without idle energy %zu of its %zu designs stay; with at most 72 "
      "Mb/s %zu stay\n",
      shared(with, without), with.size(), shared(with, slow));
}

// The costs of designs: from the table, or run now where only a part of the space was.
class KnownCosts {
 public:
  explicit KnownCosts(const Space& space) : space_(space), runner_(space.sweep) {
    for (const DesignResult& result : space.table.results) add(result);
  }
  const Costs& operator()(const Design& design) {
    const auto found = known_.find(design);
    return found != known_.end() ? found->second : add(runner_.run(design));
  }
  std::vector<Costs> all() const {
    std::vector<Costs> all;
    for (const auto& [design, costs] : known_) all.push_back(costs);
    return all;
  }

 private:
  const Costs& add(const DesignResult& result) {
    const auto objectives = std::span(space_.table.figures).first(space_.table.objectives);
    return known_[result.design] = mean_costs(objectives, result);
  }
  const Space& space_;
  DesignRunner runner_;
  std::map<Design, Costs> known_;
};

std::vector<Costs> found_by_search(const Space& space, KnownCosts& costs_of, uint64_t seed) {
  Nsga2 search(space.sweep.space, {.evaluations = evaluations, .seed = seed});
  std::vector<Costs> found;
  for (auto designs = search.ask(); !designs.empty(); designs = search.ask()) {
    std::vector<Costs> costs;
    for (const Design& design : designs) costs.push_back(costs_of(design));
    found.insert(found.end(), costs.begin(), costs.end());
    search.tell(costs);
  }
  return found;
}

// The hypervolume that a search finds, as a share of that of all that is known; the median of
// seeds.
double search_share(const Space& space) {
  KnownCosts known(space);
  std::vector<std::vector<Costs>> found;
  for (uint64_t seed = 1; seed <= search_seeds; ++seed)
    found.push_back(found_by_search(space, known, seed));
  const std::vector<Costs> all = known.all();
  const CostRange range = range_of(all);
  const Costs reference(range.least.size(), 1.0);
  const double whole = hypervolume(scaled(all, range), reference);
  std::vector<double> shares;
  for (const std::vector<Costs>& each : found)
    shares.push_back(hypervolume(scaled(each, range), reference) / whole);
  std::ranges::sort(shares);
  const double median = (shares[search_seeds / 2 - 1] + shares[search_seeds / 2]) / 2.0;
  std::printf(
      "\nNSGA-II, %u evaluations: %.2f %% of the hypervolume of %zu designs (median of %u seeds; "
      "worst %.2f; target 98)\n",
      evaluations, 100.0 * median, all.size(), search_seeds, 100.0 * shares.front());
  return median;
}

int run(const Options& options) {
  const Space space = run_space(options);
  const size_t designs = space.table.results.size(), runs = runs_of(space.table);
  std::printf(
      "NoSSim's space: %zu designs, %zu runs in %.1f s with %u threads: %.2f ms for a run and "
      "thread (target: 917280 runs in 600 s)\n",
      designs, runs, space.seconds, options.threads,
      1e3 * space.seconds * options.threads / static_cast<double>(runs));
  std::fflush(stdout);
  const size_t unlike = unlike_alone(space, options.seed);
  std::printf("%zu drawn designs, each run alone: %zu have other bytes (target: 0)\n",
              alone_designs, unlike);
  print_moves(space.table);
  const double share = search_share(space);
  const nlohmann::ordered_json json = {{"sweep_points", designs},
                                       {"sweep_runs", runs},
                                       {"sweep_seconds", space.seconds},
                                       {"sweep_unlike_alone", unlike},
                                       {"nsga_hypervolume", share}};
  if (options.json) std::printf("%s\n", json.dump().c_str());
  return unlike == 0 ? 0 : 1;
}

Options options_from(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return i + 1 < argc ? std::strtoul(argv[++i], nullptr, 10) : 0UL; };
    if (word == "--json") options.json = true;
    if (word == "--threads") options.threads = static_cast<uint32_t>(std::max(1UL, next()));
    if (word == "--seed") options.seed = next();
    if (word == "--part") options.part = static_cast<uint32_t>(std::max(1UL, next()));
  }
  return options;
}

}  // namespace
}  // namespace shingle::bench

int main(int argc, char** argv) {
  return shingle::bench::run(shingle::bench::options_from(argc, argv));
}
