// Tiles give the same bits as whole networks: for random networks, plans and schedules, and for
// real models with a real clip on four processes. Also compares boxes with OpenCV's.
#include "bench/measure.hpp"
#include "bench/random_triples.hpp"
#include "bench/real_models.hpp"
#include "tests/places.hpp"

namespace {

using namespace shingle;

void print(const bench::TripleFigures& triples) {
  std::printf("%lld random (network, plan, schedule) triples, %lld frames: %lld differing bytes\n",
              static_cast<long long>(triples.triples), static_cast<long long>(triples.frames),
              static_cast<long long>(triples.differing_bytes));
  std::printf(
      "  of them %lld blocks, %lld tiles, %lld of these of channels, %lld Winograd layers, %lld "
      "rotations, %lld replans; %lld tiles lent\n",
      static_cast<long long>(triples.plans.blocks), static_cast<long long>(triples.plans.tiles),
      static_cast<long long>(triples.plans.channel_tiles),
      static_cast<long long>(triples.plans.winograd_layers),
      static_cast<long long>(triples.rotations), static_cast<long long>(triples.replans),
      static_cast<long long>(triples.tiles_lent));
  std::printf(
      "  reference against native: largest difference %.2g of an output's largest value (at most "
      "1e-4)\n",
      triples.largest_difference);
  for (const std::string& breach : triples.breaches) std::printf("  BREACH %s\n", breach.c_str());
}

void print(const bench::RealFigures& real) {
  std::printf(
      "%s, four worker processes, %lld frames: %lld differing bytes, %lld boxes, %s; OpenCV %s\n",
      real.model.c_str(), static_cast<long long>(real.frames),
      static_cast<long long>(real.differing_bytes), static_cast<long long>(real.boxes),
      real.boxes_equal ? "equal to one machine's" : "NOT equal to one machine's",
      real.opencv_agrees ? "agrees" : "DOES NOT agree");
  std::printf("  %.1f %% of the MACs in blocks of 4 or more tiles (at least 90); by worker",
              real.tiled_share * 100);
  for (const double share : real.shares) std::printf("  %.1f %%", share * 100);
  std::printf(" (at least 10)\n");
}

bool sound(const bench::RealFigures& real) {
  return real.differing_bytes == 0 && real.boxes_equal && real.opencv_agrees &&
         real.tiled_share >= 0.9 &&
         *std::min_element(real.shares.begin(), real.shares.end()) >= 0.1;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::CommandLine line = bench::parse(argc, argv);
  const bench::TripleFigures triples = bench::run_triples(line.rounds > 0 ? line.rounds : 10'000);
  print(triples);
  bool good = triples.differing_bytes == 0 && triples.breaches.empty() &&
              triples.largest_difference <= 1e-4 && triples.plans.channel_tiles > 0 &&
              triples.plans.winograd_layers > 0 && triples.rotations > 0 && triples.replans > 0;

  int64_t frames = 0, differing = triples.differing_bytes;
  bool boxes_equal = true, opencv_agrees = true;
  const std::string data = shared_data(source_folder());
  if (std::filesystem::exists(data + "/models")) {
    for (const char* name : {"yolox_nano.onnx", "fastestdet_352.onnx"}) {
      const bench::RealFigures real = bench::run_real_model(shingle_program(), data, name, 377);
      print(real);
      frames += real.frames;
      differing += real.differing_bytes;
      boxes_equal = boxes_equal && real.boxes_equal;
      opencv_agrees = opencv_agrees && real.opencv_agrees;
      good = good && sound(real);
    }
  } else {
    std::printf("skipped: no shared data\n");
  }
  if (line.json) {
    const bool looked = frames > 0;
    std::printf(
        "{\"triples\":%lld,\"differing_bytes\":%lld,\"blocks\":%lld,\"channel_tiles\":%lld,"
        "\"winograd_layers\":%lld,\"rotations\":%lld,\"replans\":%lld,\"tiles_lent\":%lld,"
        "\"clip_frames\":%lld,\"boxes_equal\":%s,\"opencv_agree\":%s}\n",
        static_cast<long long>(triples.triples), static_cast<long long>(differing),
        static_cast<long long>(triples.plans.blocks),
        static_cast<long long>(triples.plans.channel_tiles),
        static_cast<long long>(triples.plans.winograd_layers),
        static_cast<long long>(triples.rotations), static_cast<long long>(triples.replans),
        static_cast<long long>(triples.tiles_lent), static_cast<long long>(frames),
        !looked       ? "null"
        : boxes_equal ? "true"
                      : "false",
        !looked         ? "null"
        : opencv_agrees ? "true"
                        : "false");
  }
  return good ? 0 : 1;
}
