// ZmqTransport: the data plane on real sockets.
//
//          node 1                         node 2                         node 3
//        ROUTER bound   <-- nobody      ROUTER bound                   ROUTER bound
//        DEALER ------------------------>  |                              |
//        DEALER ----------------------------------------------------------> |
//                                       DEALER --------------------------> |
//
// One connection per pair: the lower id dials, the higher answers. A connection delivers all
// messages in order, or it ends: then the inbox gets a PeerLost, and the lower id dials again. A
// connection stands once both greetings are accepted (docs/understand/wire.md): then the inbox gets
// a PeerSeen, and after it the messages of the nodes.
//
// All sockets belong to one thread of the transport.
#pragma once

#include <functional>
#include <map>
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
  std::string about{};               // what it says about itself to each of them, at most 32 KiB
  std::string keys{};                // a KeyFolder's path: only its members may connect, encrypted
  bool insecure = false;             // instead of keys: unencrypted, and open to anybody
  // Makes malloc keep up to 16 MiB of free memory for later messages. Not in a process that is
  // somebody else's.
  bool sets_up_process = true;

  // A connection on which nothing was heard for so long is lost.
  Duration heartbeat = std::chrono::milliseconds(100);
  Duration silence_allowed = std::chrono::milliseconds(1500);
  // The other side must have said who it is by then.
  Duration greeting_allowed = std::chrono::seconds(2);
  // How many messages a peer may send in a second, both on average and in one burst.
  double messages_allowed = 100'000.0;

  // Sentences for the log, e.g. about strangers. Called on the transport's thread.
  std::function<void(const std::string&)> on_note{};
};

struct ZmqCounters {
  uint64_t messages_sent = 0, messages_received = 0;
  uint64_t bytes_sent = 0, bytes_received = 0;  // header and payload frames
  uint64_t unsent = 0;                          // to peers without a standing connection
  uint64_t refused = 0;                         // arrived, and could not be understood or taken in
  uint64_t corrupted = 0;                       // of these: a bit was wrong on arrival
};

class ZmqTransport final : public Transport {
 public:
  // Binds and begins to dial. `inbox` must outlive the transport. The error names the port or the
  // key that is missing and says what to do.
  static Result<std::unique_ptr<ZmqTransport>> open(ZmqOptions options, Inbox& inbox);
  ~ZmqTransport() override;  // delivers within 200 ms what was sent, then disconnects

  uint16_t port() const;
  // What a connected peer said about itself; none of others. With keys it comes from that peer.
  std::optional<std::string> about(NodeId peer) const;
  ZmqCounters counters() const;
  // By peer: packets that TCP has sent again since the connection began, as of at most 0.3 s ago.
  std::map<NodeId, uint64_t> sent_again() const;
  // The peer, or somebody in its name, announced these addresses. They are tried in addition to
  // that of the options; standing connections are not touched. Any thread.
  void announced(NodeId peer, const std::vector<Address>& addresses);

  // REQUIRES: `to` is another node; the envelope is from this one; a body is at most
  // WireLimits::payload_bytes and can write itself.
  void send(NodeId to, const Envelope& envelope, const Message& message, const Body& body) override;

 private:
  struct State;
  explicit ZmqTransport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingle
