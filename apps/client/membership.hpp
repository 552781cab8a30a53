// Membership: who is there, as the broker has it, and what this node says there of itself.
//
//   shingle/CLUSTER/node/3/announcement   kept: who it is, where it is reached, what it can do
//   shingle/CLUSTER/node/3/state          kept: online; its last will makes it offline
//   shingle/CLUSTER/node/3/event          what happens to it: peers lost, plans ready ...
//   shingle/CLUSTER/node/3/result         results of the frames that it owns
//
// All of it is hints: keys decide who may join, and the data plane who is there (docs/use/mqtt.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "apps/client/announcement.hpp"
#include "runtime/protocol/event.hpp"
#include "transport/mqtt/mqtt_link.hpp"
#include "transport/zmq/token_bucket.hpp"

namespace shingle {

struct MembershipOptions {
  BrokerAddress broker;
  std::string cluster = "cluster";  // the topics' second level
  NodeId self;
  std::vector<NodeId> members;  // whose announcements count, this node's too
  std::function<void(const std::string& sentence)> on_note{};
};

// Thread-safe.
class Membership {
 public:
  // Begins to connect; the broker may be away. The sentence names what is wrong with its address or
  // the cluster's name.
  static Result<std::unique_ptr<Membership>> open(MembershipOptions options);
  ~Membership();

  // Says so, and again whenever the broker is back or somebody says something else in this node's
  // name. The session is filled in.
  void announce(Announcement mine);
  // What members announce from now on, and what is known already at once. None: nobody follows any
  // more. `on_peer` may be called on any thread, one call at a time, and must not call back.
  void follow(std::function<void(const Announcement&)> on_peer);

  // Other members that are announced and not known to have gone, by id.
  std::vector<Announcement> present() const;

  void tell(const Report& report);  // as an event; nothing for what happens with every tile
  void tell_result(const std::string& json_line);
  MqttCounters counters() const { return link_->counters(); }

 private:
  struct Known {
    std::optional<Announcement> announced;
    std::string gone_session;  // of the last will, or the leave
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
  std::unique_ptr<MqttLink> link_;  // last: its threads use the rest
};

// {"at_ms":1790000000000,"event":"peer_lost","node":3,"why":"..."}; milliseconds since 1970.
std::string event_json(const Report& report, int64_t at_ms);

}  // namespace shingle
