#include "runtime/inbox.hpp"

namespace shingle {

namespace {

bool is_from_peer(const Item& item) { return std::holds_alternative<MessageReceived>(item.event); }

// What a peer makes us hold. Other texts than plans are lines.
int64_t bytes_of(const Item& item) {
  const auto* received = std::get_if<MessageReceived>(&item.event);
  const auto* offer = received ? std::get_if<PlanOffer>(&received->message) : nullptr;
  return static_cast<int64_t>(item.payload.bytes.size() + (offer ? offer->text.size() : 0));
}

}  // namespace

bool Inbox::push(Item item) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    if (is_from_peer(item)) {
      if (peer_messages_ >= limits_.peer_messages ||
          peer_bytes_ + bytes_of(item) > limits_.peer_bytes) {
        ++refused_;
        return false;
      }
      ++peer_messages_;
      peer_bytes_ += bytes_of(item);
    }
    items_.push_back(std::move(item));
  }
  available_.notify_one();
  return true;
}

std::optional<Item> Inbox::wait(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  available_.wait_until(lock, until, [&] { return closed_ || !items_.empty(); });
  if (items_.empty()) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  if (is_from_peer(item)) {
    --peer_messages_;
    peer_bytes_ -= bytes_of(item);
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
