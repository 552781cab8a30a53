// NodeWires: what connects this process with the other members: its sockets, the inbox that they
// fill, and its announcement at a broker. It works before a node uses it and while one does.
//
// A broker says where the members are. What a member can do is in the greeting of its own
// connection, which only the holder of its key can make.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/members/membership.hpp"
#include "apps/members/own_addresses.hpp"
#include "apps/system/log.hpp"
#include "runtime/driver/inbox.hpp"
#include "runtime/node/node.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

// A process that is announced through a broker.
struct Announced {
  Membership* membership;           // outlives the wires
  std::vector<std::string> models;  // names of files
  // Where others reach this process: see own_addresses().
  std::function<std::vector<Address>(const std::string&, uint16_t, size_t)> addresses =
      own_addresses;
};

struct NodeWiresOptions {
  ClusterFile cluster;
  NodeId id;
  std::string keys{};           // a KeyFolder's path
  bool insecure = false;        // instead of keys
  bool sets_up_process = true;  // see SessionOptions
  Duration silence_allowed = ZmqOptions{}.silence_allowed;
  bool computes = false;
  std::optional<Announced> announced{};
  Log log{};
};

class NodeWires {
 public:
  // Binds, and dials the members whose addresses are known. The sentence says what is wrong: an id
  // that is not in the cluster file, a port in use.
  static Result<std::unique_ptr<NodeWires>> open(NodeWiresOptions options);
  ~NodeWires();  // stops following announcements, then closes the connections

  Inbox& inbox() { return inbox_; }
  ZmqTransport& transport() { return *transport_; }
  // Announces this process, if the options say so, and dials the members that are announced.
  void announce();
  // Announces it again if this machine's addresses have changed: an interface came up after the
  // node, or got another address. Call it now and then, on the thread of announce().
  void look_at_addresses();
  void follow_no_more();

  // What each connected member says about itself; an error if that cannot be read.
  std::map<NodeId, Result<Announcement>> words() const;

 private:
  explicit NodeWires(NodeWiresOptions options) : options_(std::move(options)) {}
  void announce_at(std::vector<Address> addresses);

  const NodeWiresOptions options_;
  const ClusterFileNode* self_ = nullptr;
  std::vector<Address> announced_at_;
  Inbox inbox_;
  std::unique_ptr<ZmqTransport> transport_;
};

// The part of an announcement that planning uses: without addresses, session and models.
Announcement figures_of(const Announcement& announcement);

// The members that a plan may use, by their own words. `announced`: what the broker knows of them.
struct Confirmed {
  std::map<NodeId, Announcement> members;
  std::vector<std::string> doubts;  // members whose announcement differs, or that are not connected
};
Confirmed confirmed(const std::map<NodeId, Result<Announcement>>& words,
                    const std::vector<Announcement>& announced);

}  // namespace shingle
