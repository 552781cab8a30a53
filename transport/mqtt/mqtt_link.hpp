// MqttLink: one connection with an MQTT broker, which may be away for as long as it likes. Nothing
// here waits for it but the destructor, a little.
//
//   connecting --(connected)--> subscribed, what is kept is said --(lost)--> connecting ...
//       '--(failed)--> a pause of 0.1 s, 0.2 s, ... 10 s --'
//
// Two kinds of sentences go out: what is true (kept by the broker for whoever comes later, and said
// again on every new connection), and what happens (told once; while the broker is away the last
// ones wait, a bounded number).
//
// What comes in may be anything: it is cut off above `largest` by the broker itself (MQTT 5).
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
  BrokerAddress broker;
  std::string client;  // unique at the broker
  // Kept from the moment that this link ends, however it ends.
  MqttSentence last_will;
  std::vector<std::string> topics;  // that are listened to; '+' stands for any one level
  size_t largest = 64 << 10;        // bytes of a message
  size_t waiting = 256;             // happenings that wait to be told; beyond, the oldest is lost
  std::chrono::seconds keep_alive{
      5};  // a silent broker, and to it a silent node, is gone after 1.5 of it
  std::chrono::milliseconds patience{2000};  // for each answer of the broker
  std::chrono::milliseconds first_pause{100}, longest_pause{10'000};
  // On a thread of the link; must not wait for it.
  std::function<void(const std::string& topic, std::string_view text)> on_message{};
  std::function<void(const std::string& sentence)> on_note{};
};

struct MqttCounters {
  uint64_t connections = 0, said = 0, lost = 0;  // lost: happenings that nobody could be told
};

class MqttLink {
 public:
  // Begins to connect. The sentence says what is wrong with the address.
  static Result<std::unique_ptr<MqttLink>> open(MqttOptions options);
  ~MqttLink();  // says the last will itself, if it can be said within `patience`

  // Any thread.
  void keep(const std::string& topic, std::string text);  // from now on; instead of an earlier one
  void say_again(const std::string& topic);  // what is kept there: somebody said something else
  void tell(const std::string& topic, std::string text);
  bool connected() const;
  MqttCounters counters() const;

 private:
  struct State;
  explicit MqttLink(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingle
