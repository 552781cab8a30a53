// Link probe: what a plain TCP connection between two machines carries, for device profiles.
//
//   asker                    answerer
//     | -- one byte ------------> |  twenty times there and back: the round trip
//     | <-- it ------------------ |
//     | == as much as goes =====> |  for a while: how fast there ...
//     | <-- bytes, nanoseconds -- |
//     | <= as much as goes ====== |  ... and back
//
// Both sides give up on a silent peer. The content of what arrives is not read. An answerer serves
// one asker per call.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

struct LinkSpeed {
  double there_mbps = 0.0, back_mbps = 0.0;
  double round_trip_us = 0.0;  // the median
};

class LinkAnswerer {
 public:
  // Port 0: any free one.
  static Result<LinkAnswerer> listen(const std::string& host, uint16_t port);
  LinkAnswerer(LinkAnswerer&& other) noexcept;
  ~LinkAnswerer();

  uint16_t port() const { return port_; }
  // Waits for an asker and serves it. REQUIRES: not moved from; patience is not negative.
  Status answer(std::chrono::milliseconds patience);

 private:
  LinkAnswerer(int listener, uint16_t port) : listener_(listener), port_(port) {}
  int listener_;
  uint16_t port_;
};

// Takes about twice `each_way`. The sentence names the peer. REQUIRES: each_way is positive.
Result<LinkSpeed> measure_link(const std::string& host, uint16_t port,
                               std::chrono::milliseconds each_way);

}  // namespace shingle
