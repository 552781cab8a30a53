// Inbox: the one object that threads share. Compute threads, sockets and cameras push; the driver
// takes.
//
// Credits bound what peers send. A peer that ignores its credit meets a hard limit here, which is
// its own and no other peer's: what it sends beyond that is refused and counted. What the node's
// own threads push is bounded by what the node asked for, and is never refused while the inbox is
// open.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/protocol/event.hpp"
#include "runtime/protocol/fair_share.hpp"

namespace shingle {

// Bytes that came with a message, kept alive by whoever received them.
struct Payload {
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
};

struct PreparedPlan;  // runtime/driver/driver_plan.hpp

// What a model takes for one frame: a whole tensor for each of its inputs, in the model's order,
// (y, x, c). Most models have one input, so one tensor is such a value by itself.
struct FrameInputs {
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  FrameInputs() = default;
  FrameInputs(Bytes only) : tensors{std::move(only)} {}
  FrameInputs(std::vector<Bytes> all) : tensors(std::move(all)) {}

  std::vector<Bytes> tensors;
};

struct Item {
  Event event;
  Payload payload{};                               // MessageReceived with a Piece
  FrameInputs inputs{};                            // FrameCaptured
  std::shared_ptr<const PreparedPlan> prepared{};  // PlanLoaded: what belongs to its plan
};

// Of all peers together; each has a FairShare of both. A message larger than half of `peer_bytes`
// is always refused: strips are up to max_strip_bytes (partition/plan/routes.hpp), texts of plans
// some 10 KiB.
struct InboxLimits {
  int64_t peer_messages = 65'536;
  int64_t peer_bytes = int64_t{256} << 20;  // payloads, texts and lists
};

class Inbox {
 public:
  // REQUIRES: both limits are positive.
  explicit Inbox(InboxLimits limits = {})
      : messages_(limits.peer_messages), bytes_(limits.peer_bytes) {}

  // False if it was refused: a peer's message beyond the limits, or anything after close().
  bool push(Item item);
  // The same, but wakes nobody: the item is taken with the next one, or when wait() times out.
  bool push_unhurried(Item item);
  // The next item, or none once `until` has passed or close() was called and nothing is left.
  std::optional<Item> wait(std::chrono::steady_clock::time_point until);
  void close();
  bool closed() const;

  uint64_t refused() const;  // peers' messages beyond the limits, ever

 private:
  bool make_room(const MessageReceived& received, int64_t bytes);
  bool take_in(Item item);

  mutable std::mutex mutex_;
  std::condition_variable available_;
  std::deque<Item> items_;
  FairShare messages_, bytes_;  // of peers, among items_
  uint64_t refused_ = 0;
  bool closed_ = false;
};

}  // namespace shingle
