// The real program `shingle` as a child process, for tests that look at it from outside.
#pragma once

#include <string>
#include <vector>

#include "apps/system/child_process.hpp"
#include "tests/apps/scratch_folder.hpp"

namespace shingle {

class Program {
 public:
  // Starts `shingle ARGUMENTS...` with its output in files of its own folder.
  // `program` may be the path of another one.
  explicit Program(std::vector<std::string> arguments, std::string output_file = {},
                   const std::string& program = {});

  // Waits for the end, at most six minutes (then the test fails); "exit code 0".
  std::string end();
  ChildProcess& process() { return process_; }
  std::string out() const;
  std::string err() const;
  std::vector<std::string> out_lines() const;
  size_t err_lines() const;

 private:
  ScratchFolder folder_;
  std::string output_file_;
  ChildProcess process_;
};

// Asks again until it is so, at most a minute; whether it became so.
template <class Condition>
bool becomes_true(Condition condition);

std::string contents(const std::string& path);
std::vector<pid_t> children_of(pid_t process);
bool is_alive(pid_t process);

}  // namespace shingle

#include <chrono>
#include <thread>

template <class Condition>
bool shingle::becomes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // leaves the cores to it
  }
  return true;
}
