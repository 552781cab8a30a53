// Where the events of a run are told: topics of an MQTT broker, which may be away for any time.
//
//   TOPIC/available   retained: "online"; the last will says "offline"
//   TOPIC/events      tracks: new, update, end
//   TOPIC/site        what happens at the site: crossings, wrong way, stopped, overspeed
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "transport/mqtt/mqtt_link.hpp"

namespace shingle::drone {

struct EventTopic {
  std::string uri;    // of the broker, with its port
  std::string topic;  // that the others begin with
};
// Of "mqtt://ADDRESS[:PORT]/TOPIC", "mqtts://.." with TLS, or without a scheme, which means mqtt.
// The ports are 1883 and 8883 unless given. Errors of usage: no topic, a wildcard in it, no port.
Result<EventTopic> read_event_topic(const std::string& text);

struct EventCounts {
  uint64_t told = 0, lost = 0;  // lost: of these, those that no broker got
};

class EventBroker {
 public:
  static constexpr size_t waiting = 1000;  // events, while the broker is away

  // Begins to connect and does not wait. `topic`: what the others begin with. `on_note` is called
  // on a thread of the link.
  static Result<EventBroker> open(const std::string& topic, BrokerAddress broker,
                                  std::function<void(const std::string&)> on_note);

  void tell_track(std::string text) { tell("/events", std::move(text)); }
  void tell_site(std::string text) { tell("/site", std::move(text)); }

  // Waits for what is still to be told, at most so long, and hangs up. What waits then is lost.
  EventCounts close(std::chrono::milliseconds longest);

 private:
  EventBroker(std::unique_ptr<MqttLink> link, std::string topic)
      : link_(std::move(link)), topic_(std::move(topic)) {}
  void tell(const char* leaf, std::string text);

  std::unique_ptr<MqttLink> link_;
  std::string topic_;
  EventCounts counts_{};
};

}  // namespace shingle::drone
