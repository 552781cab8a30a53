// Our kernels against ONNX Runtime, OpenCV's DNN and XNNPACK alone, on one machine.
#include <chrono>
#include <thread>

#include "apps/temporary_folder.hpp"
#include "bench/engine_alone.hpp"
#include "bench/engine_error.hpp"
#include "bench/engine_layers.hpp"
#include "bench/engine_unet.hpp"

namespace {

using namespace shingle;
using namespace shingle::bench;

struct Net {
  const char* key;
  const char* network;
  int32_t size;
};
constexpr Net nets[] = {{"yolov2_front_608", "yolov2_front", 608},
                        {"yolov2_416", "yolov2", 416},
                        {"vgg16", "vgg16", 224},
                        {"resnet18", "resnet18", 224},
                        {"resnet50", "resnet50", 224},
                        {"mobilenetv2", "mobilenetv2", 224},
                        {"yolov8n", "yolov8n", 640}};

// VGG-16 counts with its convolutions alone: the classifier is three vectors times matrices.
Model network_of(const Net& net) {
  Model model = must(networks::make(net.network, net.size));
  if (std::string_view(net.network) != "vgg16") return model;
  LayerId last;
  for (uint32_t i = 0; i < model.layers.size(); ++i)
    if (std::holds_alternative<Pooling>(model.layers[i].op)) last = LayerId{i};
  return front(model, last);
}

double worst_difference(const std::vector<float>& ours, const std::vector<float>& theirs) {
  if (ours.size() != theirs.size()) return HUGE_VAL;
  double most = 0, largest = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    most = std::max(most, std::abs(double{ours[i]} - double{theirs[i]}));
    largest = std::max(largest, std::abs(double{theirs[i]}));
  }
  return most / largest;
}

// Some engines' threads spin for a while after their work, on cores that the next one needs.
void let_threads_fall_asleep() { std::this_thread::sleep_for(std::chrono::milliseconds(80)); }

// All engines in turn, round after round, so that a machine whose speed drifts drifts for all.
Figures measure(const NetworkFile& file, OrtPeer* ort, const std::string& folder, int threads,
                const EngineLine& line) {
  using Kernels = NativeOptions::Kernels;
  Runner own(file.model(), {.threads = threads}, WinogradUse::where_faster);
  Runner xnnpack(file.model(), {.threads = threads, .kernels = Kernels::xnnpack},
                 WinogradUse::never);
  OpencvPeer opencv(file, threads);
  const bool with_ort = ort != nullptr && ort->load(file.path(), file.input_path(), threads);
  const auto timed = [&](auto&& work) {
    let_threads_fall_asleep();
    return line.cpu_time ? cpu_seconds(work) : seconds(work);
  };
  Figures figures;
  for (int round = -1; round < line.rounds; ++round) {  // round -1 warms up and compares
    const double a = timed([&] { own.run(file.input()); });
    let_threads_fall_asleep();
    const double b = with_ort ? ort->run_seconds(line.cpu_time) : 0;
    const double c = opencv.runs() ? timed([&] { opencv.run(); }) : 0;
    const double d = timed([&] { xnnpack.run(file.input()); });
    if (round < 0) {
      if (with_ort)
        figures.difference = worst_difference(own.outputs(), ort->outputs(folder + "/outputs"));
      continue;
    }
    figures.own.push_back(a);
    if (with_ort) figures.ort.push_back(b);
    if (opencv.runs()) figures.opencv.push_back(c);
    figures.xnnpack.push_back(d);
    if (threads == 1) figures.peaks.push_back(kernels::measured_peak());
  }
  figures.flops = own_flops(file.model(), own.program());
  figures.activation_bytes = own.executor().activation_bytes();
  return figures;
}

bool wanted(std::string_view only, std::string_view key) {
  while (!only.empty()) {
    const size_t comma = std::min(only.find(','), only.size());
    if (only.substr(0, comma) == key) return true;
    only.remove_prefix(std::min(comma + 1, only.size()));
  }
  return false;
}

void measure_start(const char* program, const std::string& folder, Report& report) {
  const Starts starts = measure_starts(program, folder, 3);
  std::printf(
      "yolov2 at 608: first start %.0f ms; mapped %.0f ms, ratio %.3f; compiled %.0f ms, ratio "
      "%.3f; most memory %.1f MB (weights %.1f)\n",
      starts.first_ms, starts.mapped_ms, starts.mapped_ratio, starts.compiled_ms,
      starts.compiled_ratio, starts.peak_mb, starts.weights_mb);
  report.set("rss_mb", starts.peak_mb);
  report.set("weights_mb", starts.weights_mb);
  report.set("cold_start_ratio", starts.compiled_ratio);
  report.set("mapped_start_ratio", starts.mapped_ratio);
}

void measure_unet(const char* program, const std::string& folder, Report& report) {
  const Alone unet = unet_alone(program, folder);
  std::printf("U-Net at %dx%d: most memory %.1f MB, %.1f s for a frame on one thread\n", unet_width,
              unet_height, unet.peak_mb, unet.start_seconds);
  report.set("unet_1080p_mb", unet.peak_mb);
}

void measure_error(Report& report) {
  double worst = 0;
  for (const int32_t channels : {32, 128, 512, 1024})
    worst = std::max(worst, winograd_rms(channels));
  std::printf("Winograd's rms error against double, worst of 32 to 1024 channels: %.2e\n", worst);
  report.set("winograd_rms", worst);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--alone") return run_alone(argv[2], argv[3]);
  if (argc == 3 && std::string_view(argv[1]) == "--alone-unet") return run_unet_alone(argv[2]);
  const EngineLine line = parse_engine(argc, argv);
  const TemporaryFolder folder = must(TemporaryFolder::make());
  const std::unique_ptr<OrtPeer> ort = OrtPeer::start();
  Report report;
  print_head();
  for (const Net& net : nets) {
    if (!line.only.empty() && !wanted(line.only, net.key)) continue;
    const NetworkFile file(folder.path(), net.key, network_of(net));
    for (const int threads : {1, 2}) {
      const Figures figures = measure(file, ort.get(), folder.path(), threads, line);
      print_row(net.key, threads, figures);
      report.add(net.key, threads, figures);
    }
    if (line.layers) print_layers(file.model());
  }
  if (line.only.empty() || wanted(line.only, "start"))
    measure_start(argv[0], folder.path(), report);
  if (line.only.empty() || wanted(line.only, "unet_1080p"))
    measure_unet(argv[0], folder.path(), report);
  if (line.only.empty() || wanted(line.only, "error")) measure_error(report);
  if (line.json) std::printf("%s\n", report.json().c_str());
  return 0;
}
