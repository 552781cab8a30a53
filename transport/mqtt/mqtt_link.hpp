// MqttLink: one connection with an MQTT broker, which may be away for any length of time. No call
// waits for the broker, except drain(), and the destructor, which waits up to `patience`.
//
//   connecting --(connected)--> subscribed, what is kept is said --(lost)--> connecting ...
//       '--(failed)--> a pause of 0.1 s, 0.2 s, ... 10 s --'
//
// Two kinds of messages go out. A state is kept: the broker retains it for later subscribers, and
// it is published again on every new connection. An event is told once; while the broker is away
// the last `waiting` events wait.
//
// What comes in may be anything. The broker itself holds back messages above `largest` (MQTT 5).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct BrokerAddress {
  std::string uri;                 // "mqtt://10.0.0.1:1883", or "mqtts://..." with TLS
  std::string user{}, password{};  // empty: none
  std::string authorities{};       // a file with CAs' certificates; empty: the system's
};

struct MqttSentence {
  std::string topic, text;
};

struct MqttOptions {
  static constexpr size_t most = 256 << 20;  // what MQTT itself allows
  BrokerAddress broker;
  std::string client;  // unique at the broker
  // Retained by the broker once this link has ended, however it ended.
  MqttSentence last_will;
  std::vector<std::string> topics;  // that are listened to; '+' stands for any one level
  size_t largest = 64 << 10;        // bytes of a message, at most `most`
  size_t waiting = 256;             // events that wait; beyond that the oldest is lost
  // A broker that is silent for 1.5 times this counts as gone; so does a node for the broker.
  std::chrono::seconds keep_alive{5};
  std::chrono::milliseconds patience{2000};  // for each answer of the broker
  std::chrono::milliseconds first_pause{100}, longest_pause{10'000};
  // Called on a thread of the link; must not wait for the link.
  std::function<void(const std::string& topic, std::string_view text)> on_message{};
  std::function<void(const std::string& sentence)> on_note{};
};

struct MqttCounters {
  uint64_t connections = 0, said = 0;
  uint64_t lost = 0;     // events that could not be published
  uint64_t waiting = 0;  // events that wait now, or are on their way
};

class MqttLink {
 public:
  // Begins to connect. The sentence says what is wrong with the address.
  // REQUIRES: largest (at most `most`), waiting, patience and first_pause are positive; first_pause
  // is at most longest_pause.
  static Result<std::unique_ptr<MqttLink>> open(MqttOptions options);
  // Publishes the last will itself, if that succeeds within `patience`. REQUIRES: not called on a
  // thread of the link.
  ~MqttLink();

  // Any thread. REQUIRES: topics are not empty.
  void keep(const std::string& topic, std::string text);  // replaces the text that is kept there
  void say_again(const std::string& topic);  // what is kept there, because another text came in
  void tell(const std::string& topic, std::string text);
  // Waits until all events were published, at most so long. False: some still wait.
  bool drain(std::chrono::milliseconds longest);
  bool connected() const;
  MqttCounters counters() const;

 private:
  struct State;
  explicit MqttLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingle
