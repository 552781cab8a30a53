// The networks bench's command line, its table, its line of JSON, and the limits that it must keep.
#pragma once

#include "bench/engine_report.hpp"
#include "devices/kernels/panel.hpp"
#include "tests/networks/exported/exported.hpp"

namespace shingle::bench {

struct NetworksLine {
  bool json = false;
  bool speed = true;
  bool list = false;
  bool quick = false;   // opset 18 alone, no plans of four nodes
  bool memory = false;  // draws where maps lie, and measures nothing
  int rounds = 9;
  std::string only;  // names by commas; empty: all
};

// Ends the program with status 2 at an unknown option.
inline NetworksLine parse_networks(int argc, char** argv) {
  NetworksLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      line.json = true;
    } else if (word == "--list") {
      line.list = true;
    } else if (word == "--no-speed") {
      line.speed = false;
    } else if (word == "--quick") {
      line.quick = true;
    } else if (word == "--memory") {
      line.memory = true;
    } else if (word.starts_with("--rounds=")) {
      line.rounds = std::max(1, std::atoi(argv[i] + 9));
    } else if (word == "--only" && i + 1 < argc) {
      line.only = argv[++i];
    } else if (word.starts_with("--only=")) {
      line.only = word.substr(7);
    } else {
      std::fprintf(
          stderr,
          "%s: unknown option %s; --json, --no-speed, --list, --quick, --memory, --rounds=N, "
          "--only NAME,NAME are known\n",
          argv[0], argv[i]);
      std::exit(2);
    }
  }
  return line;
}

// The figures of one network. NAN: not measured.
struct NetworkFigures {
  double error = NAN;      // the worst of all opsets, relative to an output's largest value
  double differing = NAN;  // bytes over plans of four nodes; the worst of all opsets
  double ratio_t1 = NAN, ratio_t2 = NAN, map_ratio = NAN;  // of opset 18
  size_t planned_tiles = 0, tiles = 0;  // of the planner's plan, of one that cuts everything
  double own_ms = NAN, ort_ms = NAN;    // on one thread
  double map_mb = NAN, layer_wise_mb = NAN;
};

inline bool has_avx512() {
  const std::string_view target = kernels::target_name();
  return target.starts_with("AVX3") || target.starts_with("AVX10");
}

// Attention and its like may be slower than ONNX Runtime where vectors have 256 bits.
inline double largest_ratio(std::string_view name) {
  const bool attends =
      listed("vit_tiny,deit_small,mobilevit_s,segformer_b0,convnext_tiny", name) && !has_avx512();
  return attends ? 1.1 : 1.0;
}

inline void print_networks_head() {
  std::printf("%-20s %9s %9s %6s %6s %9s %9s %7s %7s %9s %9s\n", "network", "error", "differing",
              "plan", "tiles", "own ms", "ORT ms", "t1", "t2", "maps MB", "layers MB");
}

inline void print_network(const std::string& name, const NetworkFigures& f) {
  std::printf("%-20s %9.1e %9.0f %6zu %6zu %9.2f %9.2f %7.3f %7.3f %9.2f %9.2f\n", name.c_str(),
              f.error, f.differing, f.planned_tiles, f.tiles, f.own_ms, f.ort_ms, f.ratio_t1,
              f.ratio_t2, f.map_mb, f.layer_wise_mb);
  std::fflush(stdout);
}

class NetworksReport {
 public:
  explicit NetworksReport(const NetworksLine& line) : speed_(line.speed), quick_(line.quick) {}

  void add(const std::string& name, const NetworkFigures& f) {
    if (!quick_) {
      at_most(name + ": error", f.error, 1e-4);
      at_most(name + ": differing bytes", f.differing, 0);
    }
    at_most(name + ": map_ratio", f.map_ratio, 0.5);
    if (speed_) {
      at_most(name + ": ratio_t1", f.ratio_t1, largest_ratio(name));
      at_most(name + ": ratio_t2", f.ratio_t2, largest_ratio(name));
    }
    nets_ += (nets_.empty() ? "\"" : ",\"") + name + "\":{\"error\":" + number(f.error) +
             ",\"ratio_t1\":" + number(f.ratio_t1) + ",\"ratio_t2\":" + number(f.ratio_t2) +
             ",\"map_ratio\":" + number(f.map_ratio) + ",\"differing\":" + number(f.differing) +
             "}";
    logarithms_.push_back(std::log(f.ratio_t1));
    logarithms_.push_back(std::log(f.ratio_t2));
  }
  void fail(const std::string& sentence) {
    std::printf("MISSED: %s\n", sentence.c_str());
    ++missed_;
  }

  void judge_mean() {
    if (speed_) at_most("geomean_ratio", geomean(), 0.8);
  }
  bool passed() const { return missed_ == 0; }

  std::string json() const {
    return "{\"nets\":{" + nets_ + "},\"geomean_ratio\":" + number(geomean()) +
           ",\"avx512\":" + (has_avx512() ? "true" : "false") +
           ",\"missed\":" + std::to_string(missed_) + "}";
  }

 private:
  // A figure that could not be measured misses its limit.
  void at_most(const std::string& what, double value, double limit) {
    if (!(value <= limit))
      fail(what + " is " + number(value) + ", wanted is at most " + number(limit));
  }
  double geomean() const {
    double sum = 0;
    for (const double logarithm : logarithms_) sum += logarithm;
    return logarithms_.empty() ? NAN : std::exp(sum / static_cast<double>(logarithms_.size()));
  }

  bool speed_, quick_;
  std::string nets_;
  std::vector<double> logarithms_;
  int missed_ = 0;
};

}  // namespace shingle::bench
