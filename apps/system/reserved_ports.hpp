// ReservedPorts: loopback TCP ports that nobody else gets until a process of ours listens there.
//
// A socket that is bound but does not listen holds each port. Linux then gives the port neither to
// bind(0) nor to connect(), but a listener with SO_REUSEADDR, as ZeroMQ opens it, may take it.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

class ReservedPorts {
 public:
  static Result<ReservedPorts> on_loopback(size_t count);
  ReservedPorts(ReservedPorts&& other) noexcept = default;
  ReservedPorts& operator=(ReservedPorts&&) = delete;
  ~ReservedPorts();

  const std::vector<uint16_t>& ports() const { return ports_; }

 private:
  ReservedPorts() = default;
  std::vector<int> sockets_;
  std::vector<uint16_t> ports_;
};

}  // namespace shingle
