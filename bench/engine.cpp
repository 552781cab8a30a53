// Compares our kernels with ONNX Runtime, OpenCV's DNN and XNNPACK alone, on one machine.
#include <array>

#include "apps/system/temporary_folder.hpp"
#include "bench/engine_alone.hpp"
#include "bench/engine_error.hpp"
#include "bench/engine_layers.hpp"
#include "bench/engine_program.hpp"
#include "bench/engine_recurrence.hpp"
#include "bench/engine_rounds.hpp"
#include "bench/engine_transposed.hpp"
#include "tests/networks/exported/rows.hpp"

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

constexpr const char* recurrence = "recurrence";

// What --only knows.
std::string parts() {
  std::string all;
  for (const Net& net : nets) all += std::string(net.key) + ",";
  return all + "recurrence,start,unet_1080p,unet_1080p_run,error,transposed";
}

// VGG-16 counts without its classifier, which only multiplies three vectors with matrices.
Model network_of(const Net& net) {
  Model model = must(networks::make(net.network, net.size));
  if (std::string_view(net.network) != "vgg16") return model;
  LayerId last;
  for (uint32_t i = 0; i < model.layers.size(); ++i)
    if (std::holds_alternative<Pooling>(model.layers[i].op)) last = LayerId{i};
  return front(model, last);
}

// Networks that a peer cannot run, with the reason. Any other peer that does not run is a failure.
struct Refusal {
  std::string_view peer, network, why;
};
constexpr std::array refusals{
    Refusal{"OpenCV", "mobilenetv2", "its importer takes no Clip whose bounds are inputs"},
    Refusal{"OpenCV", "yolov8n", "its importer fails at a shape in the head"},
    Refusal{"OpenCV", "recurrence", "its importer takes no Squeeze whose axes are an input"}};

const Refusal* refusal_of(std::string_view peer, std::string_view network) {
  const auto found = std::ranges::find_if(refusals, [&](const Refusal& refusal) {
    return refusal.peer == peer && refusal.network == network;
  });
  return found == refusals.end() ? nullptr : &*found;
}

// The largest difference, relative to the largest value; infinite if a value is no number.
double difference(const std::vector<float>& ours, const std::vector<float>& theirs) {
  if (ours.size() != theirs.size()) return HUGE_VAL;
  return networks::relative_difference(ours, theirs);
}

// The engines of one network. They run alternately.
class Engines {
 public:
  Engines(const NetworkFile& file, OrtPeer* ort, int threads, const EngineLine& line)
      : file_(file),
        line_(line),
        own_(file.model(), {.threads = threads}, WinogradUse::where_faster),
        xnnpack_(file.model(), {.threads = threads, .kernels = NativeOptions::Kernels::xnnpack},
                 WinogradUse::never),
        opencv_(file, threads),
        ort_(ort) {
    if (ort_ != nullptr) ort_setting_ = ort_->load(file.path(), file.input_path(), threads);
    if (!ort_setting_) ort_ = nullptr;
  }

  // All engines run in each round, so that changes of the machine's speed affect all of them.
  Figures measure(const std::string& folder, bool peaks) {
    Figures figures;
    compare(folder, figures);
    for (int round = 0; round < line_.rounds; ++round) {
      measure_once(figures.own, [&] { return timed([&] { own_.run(file_.input()); }); });
      if (ort_ != nullptr)
        measure_once(figures.ort, [&] { return ort_->run_seconds(line_.cpu_time); });
      if (opencv_.runs())
        measure_once(figures.opencv, [&] { return timed([&] { opencv_.run(); }); });
      measure_once(figures.xnnpack, [&] { return timed([&] { xnnpack_.run(file_.input()); }); });
      if (peaks) figures.peaks.push_back(kernels::measured_peak());
    }
    figures.flops = own_flops(file_.model(), own_.program());
    figures.activation_bytes = own_.executor().activation_bytes();
    figures.ort_setting = ort_setting_.value_or("missing");
    return figures;
  }

 private:
  void compare(const std::string& folder, Figures& figures) {
    own_.run(file_.input());
    xnnpack_.run(file_.input());
    const std::vector<float> ours = own_.outputs();
    figures.differences["XNNPACK"] = difference(ours, xnnpack_.outputs());
    if (opencv_.runs())
      figures.differences["OpenCV"] = difference(ours, opencv_.outputs());
    else
      figures.refusals["OpenCV"] = opencv_.refusal();
    if (ort_ == nullptr) {
      figures.refusals["ONNX Runtime"] = "tools/peers does not have it, or it refused the file";
      return;
    }
    ort_->run_seconds(false);
    figures.differences["ONNX Runtime"] = difference(ours, ort_->outputs(folder + "/outputs"));
  }

  template <class Work>
  double timed(Work&& work) const {
    return line_.cpu_time ? cpu_seconds(work) : seconds(work);
  }

  const NetworkFile& file_;
  const EngineLine& line_;
  Runner own_, xnnpack_;
  OpencvPeer opencv_;
  OrtPeer* ort_;
  std::optional<std::string> ort_setting_;
};

// If a peer does not run, or has other outputs than we have, its ratios mean nothing.
void judge_peers(const std::string& key, int threads, const Figures& figures, Report& report) {
  constexpr double most_difference = 1e-3;
  const std::string where = key + " on " + std::to_string(threads) + " thread(s)";
  for (const char* peer : {"ONNX Runtime", "OpenCV", "XNNPACK"}) {
    const auto found = figures.differences.find(peer);
    const Refusal* listed = refusal_of(peer, key);
    if (found == figures.differences.end() && listed != nullptr) {
      std::printf("  %s does not run it: %s\n", peer, std::string(listed->why).c_str());
    } else if (found == figures.differences.end()) {
      report.fail(std::string(peer) + " did not run " + where + ": " + figures.refusals.at(peer));
    } else if (!(found->second <= most_difference)) {
      report.fail(std::string(peer) + "'s outputs of " + where + " differ by " +
                  number(found->second) + " of the largest value");
    }
  }
}

void measure_network(const char* key, const NetworkFile& file, const std::string& folder,
                     const EngineLine& line, OrtPeer* ort, Report& report) {
  for (const int threads : {1, 2}) {
    const Figures figures = Engines(file, ort, threads, line).measure(folder, threads == 1);
    print_row(key, threads, figures);
    report.add(key, threads, figures);
    judge_peers(key, threads, figures, report);
  }
  if (line.layers && !print_layers(file.model()))
    report.fail(std::string("oneDNN ran no layer of ") + key);
}

void measure_start(const char* program, const std::string& folder, Report& report) {
  const Starts starts = measure_starts(program, folder, 3);
  std::printf(
      "yolov2 at 608: first start %.0f ms; mapped %.0f ms, ratio %.3f; compiled %.0f ms, ratio "
      "%.3f; most memory %.1f MB (weights %.1f)\n",
      starts.first_ms, starts.mapped_ms, starts.mapped_ratio, starts.compiled_ms,
      starts.compiled_ratio, starts.peak_mb, starts.weights_mb);
  report.at_most("rss_mb", starts.peak_mb, starts.weights_mb + 40);
  report.set("weights_mb", starts.weights_mb);
  report.at_most("cold_start_ratio", starts.mapped_ratio, 0.2);
  report.set("compiled_start_ratio", starts.compiled_ratio);
}

void measure_unet(const char* program, const std::string& folder, Report& report) {
  const Alone unet = unet_alone(program, folder);
  std::printf("U-Net at %dx%d: most memory %.1f MB, %.1f s for a frame on one thread\n", unet_width,
              unet_height, unet.peak_mb, unet.start_seconds);
  report.at_most("unet_1080p_mb", unet.peak_mb, 256);
}

// The whole program may hold its cap beside the 96 MB of a bare `shingle run`, codecs included, and
// of the code that it calls. What the kernel counts as resident holds code too.
void measure_unet_program(const char* bench, const std::string& folder, Report& report) {
  constexpr double bare_mb = 96;
  const double limit = static_cast<double>(unet_cap_bytes) * 1e-6 + bare_mb;
  const ProgramRun unet = unet_program(bench, folder);
  if (!unet.trouble.empty()) report.fail("U-Net through the program: " + unet.trouble);
  std::printf("U-Net at %dx%d through 'shingle run --memory %s': most memory %.1f MB, %.1f s\n",
              unet_width, unet_height, unet_cap, unet.peak_mb, unet.frame_seconds);
  report.at_most("unet_1080p_run_mb", unet.peak_mb, limit);
  report.set("unet_1080p_run_s", unet.frame_seconds);
}

void measure_error(Report& report) {
  double worst = 0;
  for (const int32_t channels : {32, 128, 512, 1024}) {
    const double rms = winograd_rms(channels);
    worst = std::isnan(rms) ? HUGE_VAL : std::max(worst, rms);
  }
  std::printf("Winograd's rms error against double, worst of 32 to 1024 channels: %.2e\n", worst);
  report.at_most("winograd_rms", worst, 4e-6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--alone") return run_alone(argv[2], argv[3]);
  if (argc == 3 && std::string_view(argv[1]) == "--alone-unet") return run_unet_alone(argv[2]);
  const EngineLine line = parse_engine(argc, argv);
  must_be_listed("engine", {.what = "part", .chosen = line.only, .known = parts()});
  const TemporaryFolder folder = must(TemporaryFolder::make());
  const std::unique_ptr<OrtPeer> ort = OrtPeer::start();
  Report report;
  print_head();
  for (const Net& net : nets) {
    if (!line.only.empty() && !listed(line.only, net.key)) continue;
    const NetworkFile file(folder.path(), net.key, network_of(net));
    measure_network(net.key, file, folder.path(), line, ort.get(), report);
  }
  if (line.only.empty() || listed(line.only, recurrence)) {
    const NetworkFile file(folder.path(), recurrence, recurrence_file());
    measure_network(recurrence, file, folder.path(), line, ort.get(), report);
  }
  if (line.only.empty() || listed(line.only, "start"))
    measure_start(argv[0], folder.path(), report);
  if (line.only.empty() || listed(line.only, "unet_1080p"))
    measure_unet(argv[0], folder.path(), report);
  if (line.only.empty() || listed(line.only, "unet_1080p_run"))
    measure_unet_program(argv[0], folder.path(), report);
  if (line.only.empty() || listed(line.only, "error")) measure_error(report);
  if (line.only.empty() || listed(line.only, "transposed")) measure_transposed(line.rounds, report);
  if (line.json) std::printf("%s\n", report.json().c_str());
  return report.passed() ? 0 : 1;
}
