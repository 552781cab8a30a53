#include "sim/network.hpp"

#include <algorithm>

namespace shingle::sim {

namespace {

constexpr int most_retransmissions = 10;  // of one message; limits its delay
constexpr int64_t plain_header_bytes = 128;

}  // namespace

Duration Network::transmission(NodeId node, int64_t bytes) const {
  const auto own = rates_.find(node);
  const int64_t rate = own == rates_.end() ? options_.bytes_per_second : own->second;
  return Duration(bytes * 1'000'000'000 / rate);
}

Time Network::cross(NodeId from, NodeId to, int64_t bytes, Time now) {
  Time& free = options_.one_medium ? medium_free_ : egress_free_[from];
  free = std::max(free, now) + transmission(from, bytes);
  Time arrival = free + options_.latency;
  for (int i = 0; i < most_retransmissions && random_.chance(options_.loss); ++i)
    arrival += options_.retransmission;
  Time& last = last_arrival_[{from, to}];
  last = std::max(last, arrival);
  return last;
}

Time Network::enter(NodeId to, int64_t bytes, Time now) {
  if (options_.one_medium) return now;
  Time& free = ingress_free_[to];
  free = std::max(free, now) + transmission(to, bytes);
  return free;
}

int64_t header_bytes(const Message& message) {
  const auto* offer = std::get_if<PlanOffer>(&message);
  return plain_header_bytes + (offer == nullptr ? 0 : static_cast<int64_t>(offer->text.size()));
}

}  // namespace shingle::sim
