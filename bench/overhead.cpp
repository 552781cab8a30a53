// The cost of Node and Driver: compares a one-node cluster with the bare executor, and that with
// OpenCV's DNN. Also measures the wire on loopback, and its checksum.
#include <opencv2/dnn.hpp>

#include <cstring>

#include "apps/client/bare_machine.hpp"
#include "bench/loopback.hpp"
#include "bench/measure.hpp"
#include "bench/one_node.hpp"
#include "bench/timed_executor.hpp"
#include "devices/native/native_executor.hpp"
#include "partition/base/checksum.hpp"
#include "tests/networks/networks.hpp"

namespace {

using namespace shingle;

// Seconds by round. All run in each round, so changes of the machine's speed affect all of them.
struct Rounds {
  std::vector<double> bare, again, node, beside, opencv;  // beside: the node's executor
  // One value per round. The node computes after one bare machine and before the other, so it is
  // compared with the mean of both.
  std::vector<double> slowdowns, repeats, against_opencv;
};

// The model's input as OpenCV wants it: planes of y, x by channel.
cv::Mat planes(const std::vector<float>& image, Shape shape) {
  const std::array<int, 4> sizes{1, shape.c, shape.h, shape.w};
  cv::Mat blob(4, sizes.data(), CV_32F);
  float* out = blob.ptr<float>();
  for (int32_t c = 0; c < shape.c; ++c) {
    for (int64_t i = 0; i < int64_t{shape.h} * shape.w; ++i) {
      *out++ = image[static_cast<size_t>(i * shape.c + c)];
    }
  }
  return blob;
}

std::shared_ptr<const std::vector<std::byte>> as_bytes(const std::vector<float>& image) {
  auto bytes = std::make_shared<std::vector<std::byte>>(image.size() * 4);
  std::memcpy(bytes->data(), image.data(), bytes->size());
  return bytes;
}

struct Opencv {
  explicit Opencv(const Model& model, const std::vector<float>& image) {
    const std::string onnx = networks::to_onnx(model);
    cv::setNumThreads(1);
    net = cv::dnn::readNetFromONNX(onnx.data(), onnx.size());
    blob = planes(image, model.at(model.inputs[0]).shape);
  }
  void forward() {
    net.setInput(blob);
    net.forward();
  }
  cv::dnn::Net net;
  cv::Mat blob;
};

// Two bare machines and a cluster of one node run alternately and share one executor, so weights
// and buffers have the same addresses. What differs is Node and Driver, and the addresses of inputs
// and outputs. The second bare machine shows how much these addresses matter.
void compare(const Model& model, const std::vector<float>& image, Opencv* opencv, int rounds,
             Rounds& all) {
  const auto bytes = as_bytes(image);
  const auto executor = std::make_shared<NativeExecutor>();
  std::atomic<double> inside = 0.0, inside_bare = 0.0;
  const auto timed = [&](std::atomic<double>& seconds) {
    return std::make_unique<bench::TimedExecutor>(executor, seconds);
  };
  BareMachine bare = BareMachine::make(model, timed(inside_bare)).value();
  bench::OneNode cluster(model, timed(inside));
  BareMachine again = BareMachine::make(model, timed(inside_bare)).value();
  for (int round = -1; round < rounds; ++round) {  // round -1 warms up and compares
    std::vector<std::byte> whole, tiled;
    const double a = bench::seconds([&] { whole = bare.compute(*bytes).value()[0]; });
    inside = 0.0;
    const double b = bench::seconds([&] { tiled = cluster.compute(bytes); });
    const double c = bench::seconds([&] { (void)again.compute(*bytes); });
    const double d = opencv == nullptr ? 0.0 : bench::seconds([&] { opencv->forward(); });
    if (round < 0) {
      if (whole == tiled) continue;
      std::fprintf(stderr, "the one-node cluster's output differs: %s\n",
                   cluster.trouble().c_str());
      std::exit(1);
    }
    all.bare.push_back(a);
    all.node.push_back(b);
    all.beside.push_back(b - inside);
    all.again.push_back(c);
    all.slowdowns.push_back(2 * b / (a + c));
    all.repeats.push_back(c / a);
    if (opencv == nullptr) continue;
    all.opencv.push_back(d);
    all.against_opencv.push_back(a / d);
    (void)again.compute(*bytes);  // removes OpenCV's maps from the caches
  }
}

using Checksum = uint32_t (*)(std::span<const std::byte>, uint32_t);

// For pieces of the size that nodes use.
double gigabytes_per_second(Checksum checksum) {
  std::vector<std::byte> piece(64 << 10, std::byte{7});
  constexpr int pieces = 4000;
  uint32_t sum = 0;
  const double seconds = bench::cpu_seconds([&] {
    for (int i = 0; i < pieces; ++i) sum = checksum(piece, sum);
  });
  piece[0] = static_cast<std::byte>(sum);  // so that it is computed
  return 1e-9 * pieces * static_cast<double>(piece.size()) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::CommandLine line = bench::parse(argc, argv);
  const int rounds = line.rounds > 0 ? line.rounds : 15;
  constexpr int machines = 25, with_opencv = 3;
  const Model model = networks::make("yolov2_front", 608).value();
  const std::vector<float> image = networks::random_input(model.at(model.inputs[0]).shape, 7);
  Opencv opencv(model, image);
  Rounds all;
  for (int i = 0; i < machines; ++i)
    compare(model, image, i < with_opencv ? &opencv : nullptr, rounds, all);
  const double slowdown = bench::median(all.slowdowns);
  const double repeats = bench::median(all.repeats);
  const double opencv_ratio = bench::median(all.against_opencv);
  const bench::LoopbackSpeed wire = bench::loopback_speed();
  const double check = gigabytes_per_second(&checksum);
  const double plain_check = gigabytes_per_second(&checksum_plainly);

  std::printf(
      "YOLOv2 layers 0-15 at 608, one thread, medians of %d machines of each kind, %d rounds\n",
      machines, rounds);
  std::printf("  bare executor        %8.1f ms   another one is %.3f of it\n",
              bench::median(all.bare) * 1e3, repeats);
  std::printf(
      "  one-node cluster     %8.1f ms   %.3f of the bare executor (at most 1.02), %.2f ms beside "
      "its executor\n",
      bench::median(all.node) * 1e3, slowdown, bench::median(all.beside) * 1e3);
  std::printf("  OpenCV DNN           %8.1f ms   bare executor is %.2f of it (at most 2.1)\n",
              bench::median(all.opencv) * 1e3, opencv_ratio);
  std::printf("loopback, 1 MB pieces  %8.2f GB/s (at least 1.0), with keys %.2f GB/s\n",
              wire.in_clear, wire.encrypted);
  std::printf("checksum of a payload  %8.2f GB/s, in plain C++ %.2f GB/s\n", check, plain_check);
  if (line.json) {
    std::printf(
        "{\"one_node_slowdown\":%.4f,\"beside_executor_ms\":%.3f,\"bare_repeats\":%.4f,"
        "\"bare_vs_opencv\":%.3f,\"loopback_gb_s\":%.3f,\"loopback_curve_gb_s\":%.3f,"
        "\"checksum_gb_s\":%.2f,\"checksum_plain_gb_s\":%.2f}\n",
        slowdown, bench::median(all.beside) * 1e3, repeats, opencv_ratio, wire.in_clear,
        wire.encrypted, check, plain_check);
  }
  return slowdown <= 1.02 && opencv_ratio <= 2.1 && wire.enough() ? 0 : 1;
}
