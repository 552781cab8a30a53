// The wire on loopback: GB/s of 1 MB pieces between two processes, verified and pasted; in clear
// and encrypted.
#include "bench/loopback.hpp"

int main(int argc, char** argv) {
  const shingle::bench::CommandLine line = shingle::bench::parse(argc, argv);
  const int rounds = line.rounds > 0 ? line.rounds : 5;
  const shingle::bench::LoopbackSpeed speed = shingle::bench::loopback_speed(1500, rounds);
  std::printf("loopback, 1 MB pieces, medians of %d: %.2f GB/s in clear (at least 1.0), ", rounds,
              speed.in_clear);
  std::printf("%.2f GB/s with keys\n", speed.encrypted);
  if (line.json)
    std::printf("{\"loopback_gb_s\":%.3f,\"loopback_curve_gb_s\":%.3f}\n", speed.in_clear,
                speed.encrypted);
  return speed.enough() ? 0 : 1;
}
