// ZmqTransport: the data plane on real sockets.
//
//          node 1                         node 2                         node 3
//        ROUTER bound   <-- nobody      ROUTER bound                   ROUTER bound
//        DEALER ------------------------>  |                              |
//        DEALER ----------------------------------------------------------> |
//                                       DEALER --------------------------> |
//
// One connection per pair: the lower id dials, the higher answers. A connection carries messages in
// order and loses none, or it is lost: then the inbox gets a PeerLost, and the dialler dials again.
// What docs/understand/wire.md says about greetings decides whether a connection stands; when it does, the
// inbox gets a PeerSeen, and everything after it are the nodes' own messages.
//
// All sockets belong to one thread of the transport.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "partition/base/result.hpp"
#include "runtime/driver/inbox.hpp"
#include "runtime/driver/transport.hpp"

namespace shingle {

struct Address {
  std::string host;
  uint16_t port = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

struct PeerAddress {
  NodeId id;
  std::string name{};
  std::string host{};
  // Not used for peers with a lower id: they dial. 0: not known before it is announced.
  uint16_t port = 0;
};

struct ZmqOptions {
  NodeId id;
  std::string name{};
  std::string host = "127.0.0.1";    // an address of this machine, or "*" for all of them
  uint16_t port = 0;                 // 0: any free one
  std::vector<PeerAddress> peers{};  // all members but this node
  std::string about{};               // that it says to each of them, at most 32 KiB
  std::string keys{};     // a KeyFolder's path: who may speak, and everything is encrypted
  bool insecure = false;  // instead of keys: in clear and to anybody

  // A connection on which nothing was heard for so long is lost.
  Duration heartbeat = std::chrono::milliseconds(100);
  Duration silence_allowed = std::chrono::milliseconds(1500);
  // The other side must have said who it is by then.
  Duration greeting_allowed = std::chrono::seconds(2);
  // So many messages may a peer send in a second, on the average and at once.
  double messages_allowed = 100'000.0;

  // Sentences for the log, e.g. about strangers. Called on the transport's thread.
  std::function<void(const std::string&)> on_note{};
};

struct ZmqCounters {
  uint64_t messages_sent = 0, messages_received = 0;
  uint64_t bytes_sent = 0, bytes_received = 0;  // header and payload frames
  uint64_t unsent = 0;                          // to peers without a standing connection
  uint64_t refused = 0;                         // arrived, and could not be understood or taken in
  uint64_t bent = 0;                            // of these: a bit was wrong on arrival
};

class ZmqTransport final : public Transport {
 public:
  // Binds and begins to dial. `inbox` must outlive the transport. The error names the port or the
  // key that is missing and says what to do. From then on malloc keeps up to 16 MiB of free memory
  // for messages to come.
  static Result<std::unique_ptr<ZmqTransport>> open(ZmqOptions options, Inbox& inbox);
  ~ZmqTransport() override;  // hands over what was sent within 200 ms, then hangs up

  uint16_t port() const;
  // Waits until every peer has been connected to at the same time. The error names those that are
  // not, and where they should be. Not on the driver's thread.
  Status wait_for_peers(Duration deadline) const;
  // What a peer that is connected said of itself; none of others. With keys it is the peer's word.
  std::optional<std::string> about(NodeId peer) const;
  ZmqCounters counters() const;
  // A peer announced that it may be reached there, or somebody in its name: tried beside what the
  // options say, and no connection that stands is touched. Any thread.
  void announced(NodeId peer, const std::vector<Address>& addresses);

  void send(NodeId to, const Envelope& envelope, const Message& message, const Body& body) override;

 private:
  struct State;
  explicit ZmqTransport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingle
