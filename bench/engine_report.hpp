// The engine bench's command line, its table, its line of JSON, and the limits that it must keep.
#pragma once

#include <cmath>
#include <map>

#include "bench/measure.hpp"

namespace shingle::bench {

struct EngineLine {
  bool json = false;
  bool layers = false;    // also each layer alone
  bool cpu_time = false;  // of the processes instead of the clock on the wall
  int rounds = 9;
  std::string only;  // parts of the bench, by commas; empty: all
};

// Ends the program with status 2 at an unknown option.
inline EngineLine parse_engine(int argc, char** argv) {
  EngineLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      line.json = true;
    } else if (word == "--layers") {
      line.layers = true;
    } else if (word == "--cpu-time") {
      line.cpu_time = true;
    } else if (word.starts_with("--rounds=")) {
      line.rounds = std::max(1, std::atoi(argv[i] + 9));
    } else if (word.starts_with("--only=")) {
      line.only = word.substr(7);
    } else {
      std::fprintf(stderr,
                   "%s: unknown option %s; --json, --layers, --cpu-time, --rounds=N, "
                   "--only=PART,PART are known\n",
                   argv[0], argv[i]);
      std::exit(2);
    }
  }
  return line;
}

// The times of one engine, in seconds by round. Both matter: in a stream caches are warm and
// threads awake; a single frame finds caches cold and threads asleep.
struct Times {
  std::vector<double> busy;  // the median of three runs back to back
  std::vector<double> idle;  // one run after 80 ms of sleep
};

// The figures of one network on one number of threads.
struct Figures {
  Times own, ort, opencv, xnnpack;
  std::vector<double> peaks;                       // by round, in FLOP/s
  std::map<std::string, double> differences = {};  // by peer, of the largest value
  std::string ort_setting = {};
  std::map<std::string, std::string> refusals = {};  // by peer: why it did not run
  double flops = 0;                                  // done by us, Winograd at its own count
  int64_t activation_bytes = 0;
};

// Ratios by round, because runs of one round saw the machine at the same speed. NAN if the peer did
// not run.
inline double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (size_t i = 0; i < theirs.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return ratios.empty() ? NAN : median(ratios);
}

inline double peak_fraction(const Figures& figures) {
  std::vector<double> fractions;
  for (size_t i = 0; i < figures.peaks.size(); ++i)
    fractions.push_back(figures.flops / figures.own.busy[i] / figures.peaks[i]);
  return fractions.empty() ? NAN : median(fractions);
}

inline double worst_difference(const Figures& figures) {
  double worst = 0;
  for (const auto& [peer, difference] : figures.differences) worst = std::max(worst, difference);
  return worst;
}

inline double milliseconds(const Times& times) {
  return times.busy.empty() ? NAN : median(times.busy) * 1e3;
}

inline void print_head() {
  std::printf("%-17s %2s %9s %9s %9s %9s   %6s %6s %7s  %8s %6s %7s  %s\n", "network", "t",
              "own ms", "ORT ms", "OpenCV", "XNNPACK", "/ORT", "idle", "/OpenCV", "differs", "peak",
              "maps MB", "ORT's workers");
}

inline void print_row(const char* key, int threads, const Figures& f) {
  std::printf("%-17s %2d %9.2f %9.2f %9.2f %9.2f   %6.3f %6.3f %7.3f  %8.1e %6.3f %7.2f  %s\n", key,
              threads, milliseconds(f.own), milliseconds(f.ort), milliseconds(f.opencv),
              milliseconds(f.xnnpack), median_ratio(f.own.busy, f.ort.busy),
              median_ratio(f.own.idle, f.ort.idle), median_ratio(f.own.busy, f.opencv.busy),
              worst_difference(f), peak_fraction(f), static_cast<double>(f.activation_bytes) * 1e-6,
              f.ort_setting.c_str());
  std::fflush(stdout);
}

// JSON has no NaN.
inline std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

class Report {
 public:
  void add(const std::string& key, int threads, const Figures& figures) {
    ratios_["ratio_vs_ort"][key][threads] = median_ratio(figures.own.busy, figures.ort.busy);
    ratios_["ratio_vs_ort_idle"][key][threads] = median_ratio(figures.own.idle, figures.ort.idle);
    ratios_["ratio_vs_opencv"][key][threads] = median_ratio(figures.own.busy, figures.opencv.busy);
    if (key == "recurrence") {
      at_most("recurrence_ratio_t" + std::to_string(threads),
              median_ratio(figures.own.busy, figures.ort.busy), 1.0);
    }
    if (key == "yolov2_front_608" && threads == 1) {
      set("peak_fraction", peak_fraction(figures));
      at_most("activation_mb", static_cast<double>(figures.activation_bytes) * 1e-6, 6);
    }
  }
  void set(const std::string& key, double value) { values_.emplace_back(key, value); }

  // A figure with a limit; one that could not be measured misses it.
  void at_most(const std::string& key, double value, double limit) {
    set(key, value);
    if (!(value <= limit))
      fail(key + " is " + number(value) + ", wanted is at most " + number(limit));
  }

  void fail(std::string sentence) {
    std::printf("MISSED: %s\n", sentence.c_str());
    missed_.push_back(std::move(sentence));
  }
  bool passed() const { return missed_.empty(); }

  std::string json() const {
    std::string text = "{";
    for (const auto& [key, ratios] : ratios_) text += "\"" + key + "\":" + by_net(ratios) + ",";
    for (const auto& [key, value] : values_) text += "\"" + key + "\":" + number(value) + ",";
    return text + "\"missed\":" + std::to_string(missed_.size()) + "}";
  }

 private:
  using ByNet = std::map<std::string, std::map<int, double>>;

  static std::string by_net(const ByNet& ratios) {
    std::string text;
    for (const auto& [net, threads] : ratios) {
      text += (text.empty() ? "{\"" : ",\"") + net + "\":{";
      for (const auto& [count, ratio] : threads)
        text += (count == 1 ? "\"t" : ",\"t") + std::to_string(count) + "\":" + number(ratio);
      text += "}";
    }
    return text.empty() ? "{}" : text + "}";
  }

  std::map<std::string, ByNet> ratios_;
  std::vector<std::pair<std::string, double>> values_;
  std::vector<std::string> missed_;
};

}  // namespace shingle::bench
