// RunningNodes: two real nodes with keys and a cluster file, as a user has them, for sessions of
// this process.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/client/local_workers.hpp"
#include "tests/apps/program.hpp"
#include "tests/library/session_fixture.hpp"

namespace shingle::testing {

struct RunningNodes {
  explicit RunningNodes(const std::vector<std::string>& models)
      : workers(std::move(LocalWorkers::start({.program = node_program(),
                                               .count = 2,
                                               .models = {models.begin(), models.end()},
                                               .slow = {},
                                               .packed = {}})
                              .value())),
        processes(children()) {}

  std::string folder() const {
    return std::filesystem::path(workers.keys()).parent_path().string();
  }
  // Options of a session: this process is the owner.
  OptionTexts options(const std::string& model) const {
    return {{"model", model},
            {"cluster", folder() + "/cluster.toml"},
            {"id", std::to_string(workers.owner().value)},
            {"keys", workers.keys()},
            {"patience", "20"}};
  }
  void signal(int number) const {
    for (const int process : processes) ::kill(process, number);
  }

  LocalWorkers workers;
  std::vector<int> processes;
};

// Has a signal stopped all threads of a process? One of them takes the signal, and the others run
// until it has its turn.
inline bool is_stopped(int process) {
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    const std::string status = text_of(task.path() / "stat");
    const size_t name_end = status.rfind(") ");
    if (name_end == std::string::npos || status[name_end + 2] != 'T') return false;
  }
  return true;
}

// The nodes compute nothing while this lives.
struct StoppedNodes {
  explicit StoppedNodes(const RunningNodes& stopped) : nodes(stopped) {
    nodes.signal(SIGSTOP);
    for (const int process : nodes.processes)
      CHECK(becomes_true([&] { return is_stopped(process); }));
  }
  ~StoppedNodes() { nodes.signal(SIGCONT); }
  StoppedNodes(const StoppedNodes&) = delete;
  StoppedNodes& operator=(const StoppedNodes&) = delete;
  const RunningNodes& nodes;
};

}  // namespace shingle::testing
