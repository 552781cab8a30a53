// Transport: how messages leave a node. One of the four seams. Arriving messages are pushed into
// the Inbox by the transport's own thread as MessageReceived, connections as PeerSeen and PeerLost.
#pragma once

#include <functional>
#include <span>

#include "runtime/protocol/event.hpp"

namespace shingle {

// A payload that writes itself into the transport's buffer: one pass over the bytes.
struct Body {
  size_t bytes = 0;
  std::function<void(std::span<std::byte>)> write;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Called from the driver's thread only. Never blocks. A message that cannot be sent (the peer is
  // gone) is dropped; the node learns that by a PeerLost.
  virtual void send(NodeId to, const Envelope& envelope, const Message& message,
                    const Body& body) = 0;
};

}  // namespace shingle
