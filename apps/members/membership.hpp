// Membership: which nodes the broker knows, and what this node publishes there about itself.
//
//   shingle/CLUSTER/node/3/announcement   retained: who it is, its addresses, what it can do
//   shingle/CLUSTER/node/3/state          retained: online; its last will says offline
//   shingle/CLUSTER/node/3/event          what happens to it: peers lost, plans ready ...
//   shingle/CLUSTER/node/3/result         results of the frames that it owns
//
// All of this is only a hint: keys decide who may join, and connections show who is there
// (docs/use/mqtt.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "apps/members/announcement.hpp"
#include "runtime/protocol/event.hpp"
#include "transport/mqtt/mqtt_link.hpp"
#include "transport/zmq/token_bucket.hpp"

namespace shingle {

struct MembershipOptions {
  BrokerAddress broker;
  std::string cluster = "cluster";  // the second level of the topics
  NodeId self;
  std::vector<NodeId> members;  // whose announcements count; this node too
  std::function<void(const std::string& sentence)> on_note{};
};

// Thread-safe.
class Membership {
 public:
  // Begins to connect; the broker need not be there yet. The sentence says what is wrong with its
  // address or with the cluster's name.
  static Result<std::unique_ptr<Membership>> open(MembershipOptions options);
  ~Membership();

  // Publishes the announcement; publishes it again whenever the broker is back, or when somebody
  // published something else in this node's name. Fills in the session.
  void announce(Announcement mine);
  // Calls `on_peer` at once for each known announcement, then for each new one; an empty function
  // ends this. It is called on any thread, one call at a time, and must not call this object.
  void follow(std::function<void(const Announcement&)> on_peer);

  // The other members that were announced and have not left, by id.
  std::vector<Announcement> present() const;

  void tell(const Report& report);  // publishes it as an event, unless its kind is frequent
  void tell_result(const std::string& json_line);
  MqttCounters counters() const { return link_->counters(); }

 private:
  struct Known {
    std::optional<Announcement> announced;
    std::string gone_session;  // from its last will, or from its leaving
  };
  explicit Membership(MembershipOptions options);
  std::string topic_of(NodeId node, const char* leaf) const;
  void heard(const std::string& topic, std::string_view text);
  void heard_announcement(NodeId node, std::string_view text);
  void heard_sign(NodeId node, std::string_view text);
  void heard_myself(const std::string& topic, std::string_view text);
  void refuse(const std::string& topic, const std::string& why);
  bool is_present(const Known& known) const;

  const MembershipOptions options_;
  const std::set<NodeId> members_;
  const std::string session_, prefix_;
  mutable std::mutex mutex_;
  std::map<NodeId, Known> known_;            // members only
  std::map<std::string, std::string> mine_;  // by topic
  std::function<void(const Announcement&)> on_peer_;
  TokenBucket complaints_{1.0, 4.0}, corrections_{1.0, 4.0};
  std::unique_ptr<MqttLink> link_;  // last: its threads use the other members
};

// {"at_ms":1790000000000,"event":"peer_lost","node":3,"why":"..."}; milliseconds since 1970.
std::string event_json(const Report& report, int64_t at_ms);

}  // namespace shingle
