// Outbox: messages on their way from the driver's thread to the sockets' thread. ZeroMQ sockets
// belong to one thread; its messages do not.
#pragma once

#include <mutex>
#include <set>
#include <vector>
#include <zmq.hpp>

#include "partition/base/ids.hpp"
#include "runtime/protocol/fair_share.hpp"

namespace shingle {

struct Departure {
  NodeId to;
  zmq::message_t header;
  zmq::message_t payload;  // sent only if it is not empty
};

class Outbox {
 public:
  Outbox();  // throws std::system_error if the system gives no eventfd
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Any thread. False if the peer has used up its FairShare of `max_bytes`: then the message is not
  // taken, and take() will name the peer, because its connection now lacks a message.
  bool push(Departure message);
  // Any thread. take() returns false once nothing is left.
  void close();

  // --- the sockets' thread ---
  int descriptor() const { return wake_; }  // readable when take() has something to return
  struct Load {
    std::vector<Departure> departures;  // in order
    std::set<NodeId> short_of;          // peers for whom a message was refused after these
  };
  // Swaps what waits into `load` (emptied first). False once closed and nothing is left.
  bool take(Load& load);

  static constexpr int64_t max_bytes = int64_t{64} << 20;

 private:
  void signal();

  const int wake_;
  std::mutex mutex_;
  Load waiting_;
  FairShare waiting_bytes_{max_bytes};
  bool closed_ = false;
};

}  // namespace shingle
