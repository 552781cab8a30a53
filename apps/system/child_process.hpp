// ChildProcess: a program that this process starts and that cannot outlive it. The kernel ends the
// child when its parent dies; the destructor ends and reaps it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

class ChildProcess {
 public:
  struct Options {
    std::string program;
    std::vector<std::string> arguments;  // without the program's name
    std::string output_file{};           // its stdout; its stdin is empty then
    std::string error_file{};            // its stderr
    int stream =
        -1;  // unless negative: a descriptor, its stdin and, in place of a file, its stdout
  };
  // The child gets a process group of its own, so that Ctrl-C on the terminal reaches only the
  // parent, which then ends its children in order. REQUIRES: the calling thread lives as long as
  // the child is needed.
  static Result<ChildProcess> start(const Options& options);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();  // SIGTERM, two seconds, SIGKILL

  pid_t id() const { return id_; }
  // How it ended ("exit code 3", "signal 9"); none if it still runs after `wait`.
  std::optional<std::string> ended(std::chrono::milliseconds wait = std::chrono::milliseconds(0));
  void ask_to_stop();   // SIGTERM
  void wait_or_kill();  // at most two seconds after the request, then SIGKILL

 private:
  explicit ChildProcess(pid_t id) : id_(id) {}
  bool reap(int options);

  pid_t id_ = -1;  // -1: moved from
  std::optional<int> status_;
};

std::string own_program();  // the path of this process's program

}  // namespace shingle
