// The wire on loopback: GB/s of 1 MB pieces between two processes, verified and pasted.
#include "bench/loopback.hpp"

#include "bench/measure.hpp"

int main(int argc, char** argv) {
  const shingle::bench::CommandLine line = shingle::bench::parse(argc, argv);
  const int rounds = line.rounds > 0 ? line.rounds : 5;
  const double speed = shingle::bench::loopback_gigabytes_per_second(1500, rounds);
  std::printf("loopback, 1 MB pieces, best of %d: %.2f GB/s (at least 1.0)\n", rounds, speed);
  if (line.json) std::printf("{\"loopback_gb_s\":%.3f}\n", speed);
  return 0;
}
