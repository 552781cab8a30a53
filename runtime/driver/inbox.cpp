#include "runtime/driver/inbox.hpp"

namespace shingle {

namespace {

// The memory that a message of a peer takes here.
int64_t bytes_of(const Item& item, const MessageReceived& received) {
  return static_cast<int64_t>(item.payload.bytes.size()) + held_bytes(received.message);
}

}  // namespace

bool Inbox::make_room(const MessageReceived& received, int64_t bytes) {
  const NodeId from = received.envelope.from;
  if (!messages_.take(from, 1)) return false;
  if (bytes_.take(from, bytes)) return true;
  messages_.give_back(from, 1);
  return false;
}

bool Inbox::push(Item item) {
  if (!take_in(std::move(item))) return false;
  available_.notify_one();
  return true;
}

bool Inbox::push_unhurried(Item item) { return take_in(std::move(item)); }

bool Inbox::take_in(Item item) {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  const auto* received = std::get_if<MessageReceived>(&item.event);
  if (received != nullptr && !make_room(*received, bytes_of(item, *received))) {
    ++refused_;
    return false;
  }
  items_.push_back(std::move(item));
  return true;
}

std::optional<Item> Inbox::wait(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  // A wait that is over as it begins still costs the kernel's timer, 60 us.
  if (items_.empty() && !closed_ && until > std::chrono::steady_clock::now())
    available_.wait_until(lock, until, [&] { return closed_ || !items_.empty(); });
  if (items_.empty()) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  if (const auto* received = std::get_if<MessageReceived>(&item.event)) {
    messages_.give_back(received->envelope.from, 1);
    bytes_.give_back(received->envelope.from, bytes_of(item, *received));
  }
  return item;
}

void Inbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  available_.notify_all();
}

bool Inbox::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

uint64_t Inbox::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace shingle
