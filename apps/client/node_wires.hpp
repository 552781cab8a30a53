// NodeWires: what joins this process with the other members, before a node works on it and while
// one does: its sockets, what they bring, and its announcement at a broker.
//
// A broker says where members are. What they can do they say themselves, in the greeting of their
// own connection, which only the holder of their key can make.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/client/membership.hpp"
#include "apps/system/log.hpp"
#include "runtime/driver/inbox.hpp"
#include "runtime/node/node.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

// A process that is announced through a broker.
struct Announced {
  Membership* membership;           // outlives the wires
  std::vector<std::string> models;  // files' names
};

struct NodeWiresOptions {
  ClusterFile cluster;
  NodeId id;
  std::string keys{};     // a KeyFolder's path
  bool insecure = false;  // instead of keys
  Duration silence_allowed = ZmqOptions{}.silence_allowed;
  bool computes = false;
  std::optional<Announced> announced{};
  Log log{};
};

class NodeWires {
 public:
  // Binds, and dials members whose addresses are known. The sentence names what is wrong: an id
  // that the cluster file has not, a port in use.
  static Result<std::unique_ptr<NodeWires>> open(NodeWiresOptions options);
  ~NodeWires();  // follows no announcements any more, then hangs up

  Inbox& inbox() { return inbox_; }
  ZmqTransport& transport() { return *transport_; }
  // If it is to be announced: says where it is, and dials whom others say.
  void announce();
  void follow_no_more();

  // By member: what those that are connected say of themselves; a sentence where it cannot be read.
  std::map<NodeId, Result<Announcement>> words() const;

 private:
  explicit NodeWires(NodeWiresOptions options) : options_(std::move(options)) {}

  const NodeWiresOptions options_;
  const ClusterFileNode* self_ = nullptr;
  Inbox inbox_;
  std::unique_ptr<ZmqTransport> transport_;
};

// The part of an announcement that planning goes by: without addresses, session and models.
Announcement figures_of(const Announcement& announcement);

// Whom a plan may count on, by their own words. `announced`: what a broker has of members.
struct Confirmed {
  std::map<NodeId, Announcement> members;
  std::vector<std::string> doubts;  // about members that were announced otherwise, or not connected
};
Confirmed confirmed(const std::map<NodeId, Result<Announcement>>& words,
                    const std::vector<Announcement>& announced);

}  // namespace shingle
