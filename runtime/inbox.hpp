// Inbox: the one object that threads share. Compute threads, sockets and cameras push; the driver
// takes.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "runtime/event.hpp"

namespace shingle {

// Bytes that came with a message, kept alive by whoever received them.
struct Payload {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

struct Item {
  Event event;
  Payload payload;  // MessageReceived with a Piece
  std::shared_ptr<const std::vector<std::byte>>
      image;  // FrameCaptured: the input tensor, (y, x, c)
};

class Inbox {
 public:
  void push(Item item);
  // The next item, or none once `until` has passed or close() was called and nothing is left.
  std::optional<Item> wait(std::chrono::steady_clock::time_point until);
  void close();
  bool closed() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable available_;
  std::deque<Item> items_;
  bool closed_ = false;
};

}  // namespace shingle
