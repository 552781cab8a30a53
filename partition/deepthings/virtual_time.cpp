#include "partition/deepthings/virtual_time.hpp"

namespace shingle {
namespace {

constexpr int64_t header_bytes = 128;  // of a transfer
constexpr uint64_t no_seed = 0;        // nothing is lost, so nothing is drawn

}  // namespace

VirtualTime::VirtualTime(NetworkTopology network)
    : network_(std::move(network), TcpOptions{}, no_seed) {}

void VirtualTime::send(uint32_t from, uint32_t to, int64_t bytes, Continuation then) {
  uint64_t cargo = transfers_.size();
  if (free_transfers_.empty()) {
    transfers_.push_back(then);
  } else {
    cargo = free_transfers_.back();
    free_transfers_.pop_back();
    transfers_[cargo] = then;
  }
  network_.send(from, to, bytes + header_bytes, cargo, now_);
}

void VirtualTime::run() {
  while (!stopped_) {
    const Time next = network_.next_change();
    if (!agenda_.empty() && agenda_.next_at() < next) {
      const Continuation then = agenda_.take();
      now_ = agenda_.now();
      then.go(then.of);
      continue;
    }
    if (next == Time::max()) return;
    arrivals_.clear();
    network_.advance(now_ = next, arrivals_);
    for (const NetworkArrival& arrival : arrivals_) {
      const Continuation then = transfers_[arrival.cargo];
      free_transfers_.push_back(arrival.cargo);
      then.go(then.of);
    }
  }
}

}  // namespace shingle
