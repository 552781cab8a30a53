#include "partition/deepthings/virtual_time.hpp"

#include <algorithm>

namespace shingle {
namespace {

// TCP shares the wires among all senders, so messages are cut into parts that block them only
// briefly.
constexpr int64_t message_bytes = 64 * 1024;

}  // namespace

void VirtualTime::wake(Time at, std::coroutine_handle<> fiber) {
  agenda_.add(at, TimedEvent::Kind::computed, static_cast<uint32_t>(sleepers_.size()));
  sleepers_.push_back(fiber);
}

void VirtualTime::send(uint32_t from, uint32_t to, int64_t bytes, std::coroutine_handle<> fiber) {
  const auto transfer = static_cast<uint32_t>(transfers_.size());
  transfers_.push_back({.fiber = fiber});
  int64_t left = bytes;
  do {
    const int64_t part = std::min(left, message_bytes);
    ++transfers_[transfer].messages_left;
    wires_.send({.from = from, .to = to, .strip = transfer, .bytes = part}, now_);
    left -= part;
  } while (left > 0);
}

void VirtualTime::arrived(uint32_t message) {
  const WireMessage sent = wires_.arrived(message, now_);
  if (sent.strip == no_strip) return;  // an acknowledgement
  Transfer& transfer = transfers_[sent.strip];
  if (--transfer.messages_left == 0) std::coroutine_handle<>(transfer.fiber).resume();
}

void VirtualTime::run() {
  while (!stopped_ && !agenda_.empty()) {
    const TimedEvent next = agenda_.take();
    now_ = next.at;
    switch (next.kind) {
      case TimedEvent::Kind::computed:
        sleepers_[next.subject].resume();
        break;
      case TimedEvent::Kind::at_port:
        wires_.at_port(next.subject, now_);
        break;
      case TimedEvent::Kind::port_free:
        wires_.port_free(next.subject, now_);
        break;
      case TimedEvent::Kind::arrived:
        arrived(next.subject);
        break;
      case TimedEvent::Kind::frame_opens:
        break;  // this simulation opens no frames
    }
  }
}

}  // namespace shingle
