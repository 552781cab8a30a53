// Inbox: the one object that threads share. Compute threads, sockets and cameras push; the driver
// takes.
//
// Messages from peers are bounded in practice by the credits that nodes grant each other; a peer
// that keeps to no credit meets a hard limit here and what it sends beyond it is refused and
// counted. What the node's own threads push is bounded by what the node asked for and is never
// refused while the inbox is open.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/event.hpp"

namespace shingle {

// Bytes that came with a message, kept alive by whoever received them.
struct Payload {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
};

struct PreparedPlan;  // runtime/driver_plan.hpp

struct Item {
  Event event;
  Payload payload{};  // MessageReceived with a Piece
  std::shared_ptr<const std::vector<std::byte>>
      image{};                                     // FrameCaptured: the input tensor, (y, x, c)
  std::shared_ptr<const PreparedPlan> prepared{};  // PlanLoaded: what belongs to its plan
};

struct InboxLimits {
  size_t peer_messages = 65'536;
  int64_t peer_bytes = int64_t{256} << 20;  // payloads and texts of plans
};

class Inbox {
 public:
  explicit Inbox(InboxLimits limits = {}) : limits_(limits) {}

  // False if it was refused: a peer's message beyond the limits, or anything after close().
  bool push(Item item);
  // The next item, or none once `until` has passed or close() was called and nothing is left.
  std::optional<Item> wait(std::chrono::steady_clock::time_point until);
  void close();
  bool closed() const;

  uint64_t refused() const;  // peers' messages beyond the limits, ever

 private:
  const InboxLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable available_;
  std::deque<Item> items_;
  size_t peer_messages_ = 0;  // among items_
  int64_t peer_bytes_ = 0;
  uint64_t refused_ = 0;
  bool closed_ = false;
};

}  // namespace shingle
