// ConnectionWatch: ends connections of clients that are slow beyond measure: that take longer than
// the limit to send a request's head, or its body, or to take the answer. A client that says one
// byte a second would otherwise keep a connection for ever.
//
// Thread-safe. A descriptor is shut down only between begin() and end(), while it is still the
// connection's own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace shingle::serve {

class ConnectionWatch {
 public:
  explicit ConnectionWatch(std::chrono::milliseconds limit);
  ~ConnectionWatch();

  void begin(const void* connection, int descriptor);
  void step(const void* connection);  // what it did just now begins its time anew
  // The server itself works for it: no limit until the next step().
  void work(const void* connection);
  void end(const void* connection);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct Watched {
    int descriptor;
    Instant since;
    bool is_waited_for = false;
  };
  void run();

  const std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const void*, Watched> watched_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace shingle::serve
