#include "apps/members/membership.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <nlohmann/json.hpp>

#include "transport/zmq/life.hpp"

namespace shingle {
namespace {

std::string new_session() {
  char text[20];
  std::snprintf(text, sizeof text, "%016" PRIx64, draw_life());
  return text;
}

// Can the name be one level of a topic, with every broker?
bool is_level(const std::string& name) {
  const auto plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), plain);
}

struct NodeTopic {
  NodeId node;
  std::string_view leaf;
};
std::optional<NodeTopic> node_topic(std::string_view topic, std::string_view prefix) {
  if (!topic.starts_with(prefix)) return std::nullopt;
  topic.remove_prefix(prefix.size());
  NodeTopic found;
  const auto number = std::from_chars(topic.data(), topic.data() + topic.size(), found.node.value);
  const auto digits = static_cast<size_t>(number.ptr - topic.data());
  if (number.ec != std::errc() || digits == topic.size() || topic[digits] != '/')
    return std::nullopt;
  found.leaf = topic.substr(digits + 1);
  return found;
}

// "plan_ready", ...
std::string key_of(Report::Kind kind) {
  std::string key = facts_of(kind).name;
  std::ranges::replace(key, ' ', '_');
  return key;
}

}  // namespace

std::string event_json(const Report& report, int64_t at_ms) {
  nlohmann::ordered_json json{
      {"at_ms", at_ms}, {"event", key_of(report.kind)}, {"node", report.node.value}};
  if (report.key.frame != 0) json["frame"] = report.key.frame;
  if (!report.sentence.empty()) json["why"] = report.sentence;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<std::unique_ptr<Membership>> Membership::open(MembershipOptions options) {
  if (!is_level(options.cluster))
    return Error{
        "'" + options.cluster +
        "' cannot be used in a topic; name the cluster with letters, digits, '-', '_', '.'"};
  std::unique_ptr<Membership> membership(new Membership(std::move(options)));
  Membership& own = *membership;
  const NodeId self = own.options_.self;
  const std::string state = own.topic_of(self, "state");
  MqttOptions link{.broker = own.options_.broker,
                   .client = "shingle-" + own.options_.cluster + "-" + std::to_string(self.value) +
                             "-" + own.session_,
                   .last_will = {state, print(Sign{.online = false, .session = own.session_})},
                   .topics = {own.prefix_ + "+/announcement", own.prefix_ + "+/state"},
                   .on_message = [&own](const std::string& topic,
                                        std::string_view text) { own.heard(topic, text); },
                   .on_note = own.options_.on_note};
  auto opened = MqttLink::open(std::move(link));
  if (!opened) return Error{opened.error()};
  own.link_ = std::move(*opened);
  return membership;
}

Membership::Membership(MembershipOptions options)
    : options_(std::move(options)),
      members_(options_.members.begin(), options_.members.end()),
      session_(new_session()),
      prefix_("shingle/" + options_.cluster + "/node/") {}

Membership::~Membership() {
  {
    const std::lock_guard lock(mutex_);
    mine_.clear();  // so that no callback uses the link while it is destroyed
  }
  link_.reset();
}

std::string Membership::topic_of(NodeId node, const char* leaf) const {
  return prefix_ + std::to_string(node.value) + "/" + leaf;
}

void Membership::announce(Announcement mine) {
  mine.session = session_;
  mine.node.id = options_.self;
  const std::pair<const char*, std::string> sentences[] = {
      {"announcement", print(mine)}, {"state", print(Sign{.online = true, .session = session_})}};
  for (const auto& [leaf, text] : sentences) {
    const std::string topic = topic_of(options_.self, leaf);
    {
      const std::lock_guard lock(mutex_);
      mine_[topic] = text;
    }
    link_->keep(topic, text);
  }
}

void Membership::follow(std::function<void(const Announcement&)> on_peer) {
  const std::lock_guard lock(mutex_);
  on_peer_ = std::move(on_peer);
  if (!on_peer_) return;
  for (const auto& [node, known] : known_)
    if (known.announced) on_peer_(*known.announced);
}

bool Membership::is_present(const Known& known) const {
  return known.announced && known.announced->session != known.gone_session;
}

std::vector<Announcement> Membership::present() const {
  const std::lock_guard lock(mutex_);
  std::vector<Announcement> there;
  for (const auto& [node, known] : known_)
    if (is_present(known)) there.push_back(*known.announced);
  return there;
}

void Membership::tell(const Report& report) {
  if (facts_of(report.kind).is_frequent) return;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
  link_->tell(topic_of(options_.self, "event"), event_json(report, at));
}

void Membership::tell_result(const std::string& json_line) {
  link_->tell(topic_of(options_.self, "result"), json_line);
}

// --- what arrives from the broker: not to be trusted ---------------------------------------------

void Membership::heard(const std::string& topic, std::string_view text) {
  const auto of = node_topic(topic, prefix_);
  if (!of) return;
  const std::lock_guard lock(mutex_);
  if (of->node == options_.self) return heard_myself(topic, text);
  if (!members_.contains(of->node)) return refuse(topic, "it is not a member");
  if (of->leaf == "announcement") heard_announcement(of->node, text);
  if (of->leaf == "state") heard_sign(of->node, text);
}

void Membership::heard_announcement(NodeId node, std::string_view text) {
  auto announcement = parse_announcement(text);
  if (!announcement) return refuse(topic_of(node, "announcement"), announcement.error());
  if (announcement->node.id != node)
    return refuse(topic_of(node, "announcement"), "it belongs to another node");
  known_[node].announced = *announcement;
  if (on_peer_) on_peer_(*announcement);
}

void Membership::heard_sign(NodeId node, std::string_view text) {
  const auto sign = parse_sign(text);
  if (!sign) return refuse(topic_of(node, "state"), sign.error());
  Known& known = known_[node];
  const bool was = is_present(known);
  if (!sign->online) known.gone_session = sign->session;
  if (sign->online && known.gone_session == sign->session) known.gone_session.clear();
  // Anybody at the broker may publish this.
  if (was && !is_present(known) && options_.on_note &&
      complaints_.take(std::chrono::steady_clock::now()))
    options_.on_note("The broker reports that node " + std::to_string(node.value) + " has left.");
}

// Somebody published in this node's name: the last will of its earlier life, or an intruder.
void Membership::heard_myself(const std::string& topic, std::string_view text) {
  const auto said = mine_.find(topic);
  if (said == mine_.end() || said->second == text) return;
  if (corrections_.take(std::chrono::steady_clock::now())) link_->say_again(topic);
}

void Membership::refuse(const std::string& topic, const std::string& why) {
  if (options_.on_note && complaints_.take(std::chrono::steady_clock::now()))
    options_.on_note("The broker's message at '" + topic + "' is ignored: " + why + ".");
}

}  // namespace shingle
