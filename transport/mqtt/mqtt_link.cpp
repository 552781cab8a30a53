#include "transport/mqtt/mqtt_link.hpp"

#include <mqtt/async_client.h>
#include <signal.h>

#include <cassert>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace shingle {

namespace {

constexpr int at_least_once = 1, at_most_once = 0;

mqtt::create_options version_five() { return mqtt::create_options(MQTTVERSION_5); }

mqtt::properties limits_of(const MqttOptions& options) {
  mqtt::properties limits;
  assert(options.largest <= MqttOptions::most);
  const auto most = static_cast<int32_t>(options.largest + 1024);  // with topic and header
  limits.add({mqtt::property::MAXIMUM_PACKET_SIZE, most});
  return limits;
}

// All options but the limits.
mqtt::connect_options connect_options_of(const MqttOptions& options) {
  const MqttSentence& will = options.last_will;
  mqtt::connect_options_builder builder;
  builder.mqtt_version(MQTTVERSION_5)
      .clean_start(true)
      .keep_alive_interval(options.keep_alive)
      .connect_timeout(options.patience)
      .will(mqtt::message(will.topic, will.text, at_least_once, true));
  if (!options.broker.user.empty()) builder.user_name(options.broker.user);
  if (!options.broker.password.empty()) builder.password(options.broker.password);
  if (options.broker.uri.starts_with("mqtts://")) {
    mqtt::ssl_options_builder tls;
    tls.enable_server_cert_auth(true).verify(true);
    if (!options.broker.authorities.empty()) tls.trust_store(options.broker.authorities);
    builder.ssl(tls.finalize());
  }
  return builder.finalize();
}

// The broker's own answer, such as "Not authorized" (MQTT 5, section 2.4), not a lost connection.
bool is_refusal(const mqtt::exception& failure) {
  constexpr int first_refusal = 0x80;
  // An error of the library's own has a negative code beside it.
  return failure.get_reason_code() >= first_refusal && failure.get_return_code() >= 0;
}

// Signals are for the program's main thread. The library starts its threads from ours, and they
// inherit this mask.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

struct MqttLink::State {
  explicit State(MqttOptions given)
      : options(std::move(given)),
        client(options.broker.uri, options.client, version_five(), nullptr) {}

  struct Kept {
    std::string text;
    bool said = false;  // on this connection
  };
  struct Outgoing {
    MqttSentence sentence;
    bool kept = false;
  };

  void run();
  bool connect();
  void serve();
  std::optional<Outgoing> next();
  bool publish(const Outgoing& outgoing);
  void published(const Outgoing& outgoing, bool said);
  void hang_up(bool with_last_will);
  void say_last_will();
  void note(const std::string& sentence) const {
    if (options.on_note) options.on_note(sentence);
  }

  const MqttOptions options;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Kept> kept;
  std::deque<MqttSentence> events;
  MqttCounters counters;
  bool up = false, closing = false;
  bool publishing = false;  // an event that waits no more and is not said yet
  bool told_away = false;   // a note has said that the broker is away
  // Topics of which a note has said so; what is kept there is tried again from time to time.
  std::set<std::string> refused;
  mqtt::async_client client;  // ends before what its callbacks use
  std::thread thread;
};

void MqttLink::State::run() {
  auto pause = options.first_pause;
  while (true) {
    if (connect()) {
      const auto begun = std::chrono::steady_clock::now();
      serve();
      // A broker that accepts and ends each connection at once is not asked ten times a second.
      const bool has_lasted = std::chrono::steady_clock::now() - begun >= options.longest_pause;
      if (has_lasted) pause = options.first_pause;
    }
    std::unique_lock lock(mutex);
    up = false;
    if (closing || changed.wait_for(lock, pause, [this] { return closing; })) return;
    pause = std::min(2 * pause, options.longest_pause);
  }
}

// True once the link is connected and has subscribed to its topics.
bool MqttLink::State::connect() try {
  // A copy of connect_options keeps pointers into the properties of its original, so the original
  // must exist while the library connects.
  mqtt::connect_options wanted = connect_options_of(options);
  wanted.set_properties(limits_of(options));
  if (!client.connect(wanted)->wait_for(2 * options.patience)) return false;
  {
    const std::lock_guard lock(mutex);
    up = client.is_connected();  // the handler below tells of what is lost from now on
    ++counters.connections;
    for (auto& [topic, each] : kept) each.said = false;
  }
  for (const std::string& topic : options.topics)
    if (!client.subscribe(topic, at_least_once)->wait_for(options.patience))
      return hang_up(false), false;  // a client that stays connected cannot connect anew
  if (told_away) note("The broker " + options.broker.uri + " is there again.");
  told_away = false;
  return true;
} catch (const mqtt::exception& failure) {
  if (!told_away)
    note("The broker " + options.broker.uri +
         " is not there, the work goes on without it: " + failure.what() + ".");
  told_away = true;
  if (client.is_connected()) hang_up(false);
  return false;
}

// Publishes what waits until the connection is lost or the link closes.
void MqttLink::State::serve() {
  while (const auto outgoing = next())
    if (!publish(*outgoing)) break;
  bool wanted = false, there = false;
  {
    const std::lock_guard lock(mutex);
    wanted = !closing;
    there = up;
  }
  if (there) hang_up(!wanted);
  if (wanted) note("The broker " + options.broker.uri + " is gone; the work goes on without it.");
  told_away = wanted;
}

std::optional<MqttLink::State::Outgoing> MqttLink::State::next() {
  std::unique_lock lock(mutex);
  while (up && !closing) {
    for (auto& [topic, each] : kept)
      if (!each.said) {
        each.said = true;
        return Outgoing{{topic, each.text}, true};
      }
    if (!events.empty()) {
      Outgoing told{std::move(events.front()), false};
      events.pop_front();
      publishing = true;
      return told;
    }
    if (changed.wait_for(lock, options.longest_pause) == std::cv_status::timeout)
      for (const std::string& topic : refused)  // the broker may think better of it
        if (const auto again = kept.find(topic); again != kept.end()) again->second.said = false;
  }
  return std::nullopt;
}

// Waits for each publication: a slow broker delays this thread only.
bool MqttLink::State::publish(const Outgoing& outgoing) try {
  const auto token = client.publish(outgoing.sentence.topic, outgoing.sentence.text,
                                    outgoing.kept ? at_least_once : at_most_once, outgoing.kept);
  const bool said = token->wait_for(options.patience);
  published(outgoing, said);
  if (said) refused.erase(outgoing.sentence.topic);
  return said;
} catch (const mqtt::exception& failure) {
  published(outgoing, false);
  if (!is_refusal(failure)) return false;  // the connection has just ended
  if (refused.insert(outgoing.sentence.topic).second)
    note("The broker " + options.broker.uri + " refuses what this node publishes at '" +
         outgoing.sentence.topic + "': " + failure.get_reason_code_str() + ".");
  return true;
}

// What is kept is not lost: it is said again on the next connection.
void MqttLink::State::published(const Outgoing& outgoing, bool said) {
  const std::lock_guard lock(mutex);
  if (said) ++counters.said;
  if (!said && !outgoing.kept) ++counters.lost;
  if (!outgoing.kept) publishing = false;
  changed.notify_all();
}

void MqttLink::State::say_last_will() try {
  const MqttSentence& will = options.last_will;
  client.publish(will.topic, will.text, at_least_once, true)->wait_for(options.patience);
} catch (const mqtt::exception&) {  // refused, or not connected any more
}

// A broker publishes the last will of a client that it loses, not of one that disconnects.
void MqttLink::State::hang_up(bool with_last_will) try {
  if (with_last_will) say_last_will();
  client.disconnect()->wait_for(options.patience);
} catch (const mqtt::exception&) {  // the connection was lost before: the broker publishes the will
}

Result<std::unique_ptr<MqttLink>> MqttLink::open(MqttOptions options) {
  assert(options.largest > 0 && options.waiting > 0);
  assert(options.patience.count() > 0 && options.first_pause.count() > 0);
  assert(options.first_pause <= options.longest_pause);
  const std::string& uri = options.broker.uri;
  if (!uri.starts_with("mqtt://") && !uri.starts_with("mqtts://"))
    return Error{"'" + uri + "' is no broker; write mqtt://ADDRESS:PORT, or mqtts:// with TLS"};
  try {
    return std::unique_ptr<MqttLink>(new MqttLink(std::make_unique<State>(std::move(options))));
  } catch (const std::exception& failure) {
    return Error{"cannot speak with '" + uri + "': " + failure.what()};
  }
}

MqttLink::MqttLink(std::unique_ptr<State> state) : state_(std::move(state)) {
  State& link = *state_;
  link.client.set_message_callback([&link](const mqtt::const_message_ptr& message) {
    const std::string& text = message->get_payload_ref().str();
    const bool fits = message->get_topic().size() + text.size() <= link.options.largest;
    if (fits && link.options.on_message) link.options.on_message(message->get_topic(), text);
  });
  link.client.set_connection_lost_handler([&link](const std::string&) {
    const std::lock_guard lock(link.mutex);
    link.up = false;
    link.changed.notify_all();
  });
  link.thread = std::thread([&link] {
    block_signals();
    link.run();
  });
}

MqttLink::~MqttLink() {
  assert(state_->thread.get_id() != std::this_thread::get_id());
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
}

void MqttLink::keep(const std::string& topic, std::string text) {
  assert(!topic.empty());
  const std::lock_guard lock(state_->mutex);
  state_->kept[topic] = {.text = std::move(text), .said = false};
  state_->changed.notify_all();
}

void MqttLink::say_again(const std::string& topic) {
  assert(!topic.empty());
  const std::lock_guard lock(state_->mutex);
  const auto kept = state_->kept.find(topic);
  if (kept == state_->kept.end()) return;
  kept->second.said = false;
  state_->changed.notify_all();
}

void MqttLink::tell(const std::string& topic, std::string text) {
  assert(!topic.empty());
  const std::lock_guard lock(state_->mutex);
  State& link = *state_;
  if (link.events.size() == link.options.waiting) {
    link.events.pop_front();
    ++link.counters.lost;
  }
  link.events.push_back({topic, std::move(text)});
  link.changed.notify_all();
}

bool MqttLink::connected() const {
  const std::lock_guard lock(state_->mutex);
  return state_->up;
}

bool MqttLink::drain(std::chrono::milliseconds longest) {
  State& link = *state_;
  std::unique_lock lock(link.mutex);
  return link.changed.wait_for(lock, longest,
                               [&link] { return link.events.empty() && !link.publishing; });
}

MqttCounters MqttLink::counters() const {
  const std::lock_guard lock(state_->mutex);
  MqttCounters counters = state_->counters;
  counters.waiting = state_->events.size() + (state_->publishing ? 1 : 0);
  return counters;
}

}  // namespace shingle
