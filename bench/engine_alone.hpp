// Figures that need a process of their own: the time of a start, and the peak of memory.
#pragma once

#include <filesystem>
#include <fstream>

#include "apps/models/compiled_model.hpp"
#include "bench/engine_runner.hpp"

namespace shingle::bench {

inline double peak_resident_mb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    double kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024 * 1e-6;
  }
  return NAN;
}

// Opens the file, compiled or not, prepares, computes one frame of zeros; prints the seconds until
// prepared and the most memory held.
inline int run_alone(const std::string& path, const std::string& packed_folder) {
  std::unique_ptr<ModelFile> file;
  std::unique_ptr<Runner> runner;
  const double start = seconds([&] {
    FileHashes hashes(hashes_file(packed_folder));
    file = std::make_unique<ModelFile>(must(open_model(path, hashes)));
    runner = std::make_unique<Runner>(
        file->model,
        NativeOptions{
            .threads = 1, .packed_folder = packed_folder, .compiled = must(compiled_among({path}))},
        WinogradUse::where_faster);
  });
  const Shape shape = file->model.at(file->model.inputs[0]).shape;
  runner->run(std::vector<float>(static_cast<size_t>(shape.elements())));
  std::printf("%.6f %.3f\n", start, peak_resident_mb());
  return 0;
}

struct Alone {
  double start_seconds = NAN, peak_mb = NAN;
};

// The output of a command that runs one of these parts of the program.
inline Alone child(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  Alone result;
  if (pipe == nullptr) return result;
  if (std::fscanf(pipe, "%lf %lf", &result.start_seconds, &result.peak_mb) != 2) result = {};
  pclose(pipe);
  return result;
}

// The same in a child process of this program.
inline Alone alone(const std::string& program, const std::string& path,
                   const std::string& packed_folder) {
  return child("'" + program + "' --alone '" + path + "' '" + packed_folder + "'");
}

struct Starts {
  double first_ms = 0, mapped_ms = 0, mapped_ratio = NAN;
  double compiled_ms = 0, compiled_ratio = NAN;
  double peak_mb = NAN, weights_mb = 0;
};

inline void compile_for_one(const std::string& path, const std::string& out) {
  const ModelFile file = must(open_model(path));
  const Plan plan = single_plan(file.model, NodeId{0});
  must(compile({.file = file, .plan = plan}, out));
}

// YOLOv2: the first start packs weights and keeps them in a file, the next start maps that file,
// and a third one starts from a compiled file. Medians of `rounds`.
inline Starts measure_starts(const std::string& program, const std::string& folder, int rounds) {
  const NetworkFile file(folder, "yolov2_608", must(networks::make("yolov2", 608)));
  const std::string ready = folder + "/yolov2.shingle";
  compile_for_one(file.path(), ready);
  std::vector<double> first, mapped, compiled, mapped_ratios, compiled_ratios, peaks;
  for (int round = 0; round < rounds; ++round) {
    const std::string packed = folder + "/packed" + std::to_string(round);
    const Alone one = alone(program, file.path(), packed);
    const Alone two = alone(program, file.path(), packed);
    const Alone three = alone(program, ready, "");
    first.push_back(one.start_seconds * 1e3);
    mapped.push_back(two.start_seconds * 1e3);
    compiled.push_back(three.start_seconds * 1e3);
    mapped_ratios.push_back(two.start_seconds / one.start_seconds);
    compiled_ratios.push_back(three.start_seconds / one.start_seconds);
    peaks.push_back(std::max({one.peak_mb, two.peak_mb, three.peak_mb}));
    std::filesystem::remove_all(packed);
  }
  return {.first_ms = median(first),
          .mapped_ms = median(mapped),
          .mapped_ratio = median(mapped_ratios),
          .compiled_ms = median(compiled),
          .compiled_ratio = median(compiled_ratios),
          .peak_mb = median(peaks),
          .weights_mb = 1e-6 * static_cast<double>(bytes_of_floats(parameters(file.model())))};
}

}  // namespace shingle::bench
