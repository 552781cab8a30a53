// Shared by all benches: the command line, medians, and the last line of JSON.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::bench {

struct CommandLine {
  bool json = false;
  int rounds = 0;  // 0: the bench's own number
};

// Ends the program with status 2 at an unknown option.
inline CommandLine parse(int argc, char** argv) {
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") {
      line.json = true;
    } else if (word.starts_with("--rounds=")) {
      line.rounds = std::atoi(argv[i] + 9);
    } else {
      std::fprintf(stderr, "%s: unknown option %s; --json and --rounds=N are known\n", argv[0],
                   argv[i]);
      std::exit(2);
    }
  }
  return line;
}

// True if `word` is one of the list's words, which commas separate.
inline bool listed(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Ends the program with status 2 and a sentence if a chosen word is not known. Both lists are by
// commas.
struct Choice {
  const char* what;  // that words name
  std::string_view chosen;
  std::string known;
};
inline void must_be_listed(const char* bench, Choice choice) {
  while (!choice.chosen.empty()) {
    const size_t comma = std::min(choice.chosen.find(','), choice.chosen.size());
    const std::string word(choice.chosen.substr(0, comma));
    if (!listed(choice.known, word)) {
      std::fprintf(stderr, "bench %s: there is no %s '%s'; there are %s\n", bench, choice.what,
                   word.c_str(), choice.known.c_str());
      std::exit(2);
    }
    choice.chosen.remove_prefix(std::min(comma + 1, choice.chosen.size()));
  }
}

// REQUIRES: not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The value. Ends the bench with the error if there is none.
template <class T>
T must(Result<T> result) {
  if (result) return std::move(result).value();
  std::fflush(stdout);
  std::fprintf(stderr, "bench: %s\n", result.error().c_str());
  std::exit(1);
}

// CPU time of all threads of this process. It does not depend on other processes.
template <class Work>
double cpu_seconds(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace shingle::bench
