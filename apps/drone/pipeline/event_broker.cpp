#include "apps/drone/pipeline/event_broker.hpp"

#include <cassert>
#include <charconv>
#include <cstdio>

#include "partition/base/text.hpp"
#include "transport/zmq/life.hpp"

namespace shingle::drone {
namespace {

constexpr size_t longest_topic = 1000;
constexpr const char* how_to_write =
    "; write mqtt://ADDRESS:PORT/TOPIC, such as mqtt://10.0.0.1/drone";

Error refused(const std::string& text, const std::string& why) {
  return usage_error(in_quotes(text) + " " + why + how_to_write);
}

// A topic that messages can be published at.
bool is_topic(std::string_view topic) {
  return !topic.empty() && topic.size() <= longest_topic && topic.front() != '/' &&
         topic.back() != '/' && topic.front() != '$' &&
         topic.find_first_of(std::string_view("+#\0", 3)) == std::string_view::npos;
}

bool is_port(std::string_view text) {
  uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && port > 0;
}

// Unlike any other client's, so that two runs do not throw each other out.
std::string new_client() {
  char text[40];
  std::snprintf(text, sizeof text, "shingle-drone-%016llx",
                static_cast<unsigned long long>(draw_life()));
  return text;
}

}  // namespace

Result<EventTopic> read_event_topic(const std::string& text) {
  std::string scheme = "mqtt://", rest = text;
  if (const size_t end = text.find("://"); end != std::string::npos) {
    scheme = text.substr(0, end + 3);
    rest = text.substr(end + 3);
  }
  if (scheme != "mqtt://" && scheme != "mqtts://")
    return refused(text, "is no address of a broker");
  const size_t slash = rest.find('/');
  const std::string address = rest.substr(0, slash);
  const std::string topic = slash == std::string::npos ? std::string() : rest.substr(slash + 1);
  if (!is_topic(topic)) return refused(text, "has no topic that events can be told at");
  // A numeric address of version 6 stands in brackets.
  const size_t colon = address.find(':', address.starts_with('[') ? address.find(']') : 0);
  const std::string host = address.substr(0, colon);
  if (host.empty()) return refused(text, "has no address");
  const std::string port = colon != std::string::npos ? address.substr(colon + 1)
                           : scheme == "mqtt://"      ? std::string("1883")
                                                      : std::string("8883");
  if (!is_port(port)) return refused(text, "has no port from 1 to 65535");
  return EventTopic{scheme + host + ":" + port, topic};
}

Result<EventBroker> EventBroker::open(const std::string& topic, BrokerAddress broker,
                                      std::function<void(const std::string&)> on_note) {
  auto link = MqttLink::open({.broker = std::move(broker),
                              .client = new_client(),
                              .last_will = {topic + "/available", "offline"},
                              .topics = {},
                              .waiting = waiting,
                              .on_note = std::move(on_note)});
  if (!link) return usage_error(link.error());
  (*link)->keep(topic + "/available", "online");
  return EventBroker(std::move(*link), topic);
}

void EventBroker::tell(const char* leaf, std::string text) {
  assert(link_ != nullptr);
  ++counts_.told;
  link_->tell(topic_ + leaf, std::move(text));
}

EventCounts EventBroker::close(std::chrono::milliseconds longest) {
  if (link_ == nullptr) return counts_;
  link_->drain(longest);
  const MqttCounters counters = link_->counters();
  counts_.lost = counters.lost + counters.waiting;
  link_.reset();
  return counts_;
}

}  // namespace shingle::drone
