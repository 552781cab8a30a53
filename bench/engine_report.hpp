// The engine bench's command line, its table and its line of JSON.
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
  std::string only;  // network keys, "start", "unet_1080p", "error", by commas; empty: all
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
      std::fprintf(
          stderr, "%s: unknown option %s; --json, --layers, --rounds=N, --only=NET,NET are known\n",
          argv[0], argv[i]);
      std::exit(2);
    }
  }
  return line;
}

// Of one network on so many threads, in seconds by round.
struct Figures {
  std::vector<double> own, ort, opencv, xnnpack, peaks;
  double difference = NAN;  // from ONNX Runtime's outputs, of the largest value
  double flops = 0;         // done by us, Winograd at its own count
  int64_t activation_bytes = 0;
};

// Round by round, as neighbours in time saw the same machine; none where the peer did not run.
inline double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (size_t i = 0; i < theirs.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return ratios.empty() ? NAN : median(ratios);
}

inline double peak_fraction(const Figures& figures) {
  std::vector<double> fractions;
  for (size_t i = 0; i < figures.peaks.size(); ++i)
    fractions.push_back(figures.flops / figures.own[i] / figures.peaks[i]);
  return fractions.empty() ? NAN : median(fractions);
}

inline double milliseconds(const std::vector<double>& values) {
  return values.empty() ? NAN : median(values) * 1e3;
}

inline void print_head() {
  std::printf("%-17s %2s %9s %9s %9s %9s   %6s %6s  %8s %6s %7s\n", "network", "t", "own ms",
              "ORT ms", "OpenCV", "XNNPACK", "/ORT", "/OpenCV", "differs", "peak", "maps MB");
}

inline void print_row(const char* key, int threads, const Figures& f) {
  std::printf("%-17s %2d %9.2f %9.2f %9.2f %9.2f   %6.3f %6.3f  %8.1e %6.3f %7.2f\n", key, threads,
              milliseconds(f.own), milliseconds(f.ort), milliseconds(f.opencv),
              milliseconds(f.xnnpack), median_ratio(f.own, f.ort), median_ratio(f.own, f.opencv),
              f.difference, peak_fraction(f), static_cast<double>(f.activation_bytes) * 1e-6);
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
    ort_[key][threads] = median_ratio(figures.own, figures.ort);
    opencv_[key][threads] = median_ratio(figures.own, figures.opencv);
    if (key == "yolov2_front_608" && threads == 1) {
      set("peak_fraction", peak_fraction(figures));
      set("activation_mb", static_cast<double>(figures.activation_bytes) * 1e-6);
    }
  }
  void set(const std::string& key, double value) { values_.emplace_back(key, value); }

  std::string json() const {
    std::string text =
        "{\"ratio_vs_ort\":" + by_net(ort_) + ",\"ratio_vs_opencv\":" + by_net(opencv_);
    for (const auto& [key, value] : values_) text += ",\"" + key + "\":" + number(value);
    return text + "}";
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

  ByNet ort_, opencv_;
  std::vector<std::pair<std::string, double>> values_;
};

}  // namespace shingle::bench
