// LogCall: marks the thread that calls the program's log function. Threads that everything depends
// on call it, so nothing that waits for them may be called in it.
#pragma once

namespace shingle {

class LogCall {
 public:
  LogCall() { ++depth; }
  ~LogCall() { --depth; }
  LogCall(const LogCall&) = delete;
  LogCall& operator=(const LogCall&) = delete;

  static bool is_under_way() { return depth > 0; }  // on this thread

 private:
  static inline thread_local int depth = 0;
};

}  // namespace shingle
