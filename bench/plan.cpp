// The planner: what it predicts, and what the real Nodes make of it in virtual time.
#include "bench/plan_report.hpp"

int main(int argc, char** argv) {
  using namespace shingle;
  const bench::CommandLine line = bench::parse(argc, argv);
  return bench::plan_report(line.json);
}
