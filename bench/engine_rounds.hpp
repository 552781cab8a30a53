// One round of an engine: warm runs and an idle one.
#pragma once

#include <chrono>
#include <thread>

#include "bench/engine_report.hpp"

namespace shingle::bench {

// After their work the threads of some engines spin for a while, on cores that the next engine
// needs.
inline void let_threads_fall_asleep() {
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
}

// The run after the pause is the idle one. It also warms caches up for the next three runs.
template <class Run>
void measure_once(Times& times, Run&& run_seconds) {
  let_threads_fall_asleep();
  times.idle.push_back(run_seconds());
  times.busy.push_back(median({run_seconds(), run_seconds(), run_seconds()}));
}

}  // namespace shingle::bench
