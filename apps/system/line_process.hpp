// LineProcess: a child process that answers each line on its standard input with one line on its
// standard output. Its stdin and stdout are one local socket, so a process that has ended shows as
// an error, never as a signal.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "apps/system/child_process.hpp"
#include "apps/system/temporary_folder.hpp"

namespace shingle {

class LineProcess {
 public:
  struct Options {
    std::string program;
    std::vector<std::string> arguments{};
    std::chrono::milliseconds patience = std::chrono::seconds(60);  // for one answer
    size_t longest_line = 4096;                                     // bytes, with its newline
  };
  static Result<LineProcess> start(const Options& options);
  LineProcess(LineProcess&& other) noexcept;
  LineProcess& operator=(LineProcess&&) = delete;
  ~LineProcess();  // closes the socket; a process that does not end then is asked to, then killed

  // The answer, without its newline. An error (the process ended, with its last words; did not
  // answer in time; answered with too long a line, or with more than one) is for good: the next
  // exchange fails too. REQUIRES: `line` has no newline.
  Result<std::string> exchange(const std::string& line);

  pid_t id() const { return child_.id(); }

 private:
  LineProcess(Options options, TemporaryFolder folder, ChildProcess child, int socket);
  Status write(const std::string& line);
  Result<std::string> read();
  Status wait_until_ready(short events);
  Error ended();
  std::string last_words() const;

  Options options_;
  TemporaryFolder folder_;  // with what it writes to stderr
  ChildProcess child_;
  int socket_;
  std::chrono::steady_clock::time_point deadline_{};
  std::string received_;
  std::string failure_;
};

}  // namespace shingle
