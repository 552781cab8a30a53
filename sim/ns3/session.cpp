// SPDX-License-Identifier: GPL-2.0-only
#include "sim/ns3/session.hpp"

#include <chrono>

#include "ns3/simulator.h"
#include "ns3/version.h"
#include "sim/ns3/lines.hpp"

namespace shingle_ns3 {
namespace {

constexpr std::int64_t largest_message = std::int64_t{1} << 30;
constexpr std::int64_t latest_ns = 1'000'000'000'000'000;
constexpr std::int64_t largest_message_id = 999'999'999'999'999'999;
constexpr std::size_t most_in_answer = 100;
constexpr std::int64_t least_rate = 1'000, most_rate = 100'000'000'000;
// The other side takes silence for a hang: an answer comes after this at the latest.
constexpr std::chrono::milliseconds longest_silence{500};
const ns3::Time association_patience = ns3::Seconds(60);

// Also without stations: ns-3's queues are ready for packets once it has run.
void associate(const World& world) {
  do {
    if (ns3::Simulator::Now() >= association_patience)
      throw Refusal{"a station found no access point"};
    ns3::Simulator::Stop(ns3::MilliSeconds(100));
    ns3::Simulator::Run();
  } while (!world.all_associated());
}

void expect_words(const std::vector<std::string_view>& words, std::size_t count, const char* form) {
  if (words.size() != count) throw Refusal{std::string("the request is '") + form + "'"};
}

}  // namespace

std::string version() {
  return std::to_string(ns3::Version::Major()) + "." + std::to_string(ns3::Version::Minor());
}

std::string Session::answer(const std::string& line) {
  const Words words = words_of(line);
  if (!greeted_) return greet(words);
  if (!traffic_) {
    if (words[0] == "start") return start();
    describe(description_, words);
    return "ok";
  }
  if (words[0] == "send") return send(words);
  if (words[0] == "advance") return advance(words);
  if (words[0] == "rates") return set_rates(words);
  throw Refusal{"there is no request '" + std::string(words[0].substr(0, 40)) + "' after 'start'"};
}

std::string Session::greet(const Words& words) {
  expect_words(words, 3, "hello shingle-network 1");
  if (words[0] != "hello" || words[1] != "shingle-network" || words[2] != "1")
    throw Refusal{"this program speaks 'shingle-network 1' only"};
  greeted_ = true;
  return "hello 1 shingle-ns3 " + version();
}

std::string Session::start() {
  set_attributes(description_.seed);
  world_ = std::make_unique<World>(description_, pcap_);
  traffic_ = std::make_unique<Traffic>(*world_);
  associate(*world_);
  for (const auto& [a, b] : description_.connections) traffic_->connect(a, b);
  start_ = ns3::Simulator::Now();
  return "ok";
}

std::int64_t Session::now_ns() const { return (ns3::Simulator::Now() - start_).GetNanoSeconds(); }

std::string Session::send(const Words& words) {
  expect_words(words, 5, "send ID FROM TO BYTES");
  traffic_->send(
      number(words[1], "an id", 0, largest_message_id), number(words[2], "a host", 0, largest_id),
      number(words[3], "a host", 0, largest_id), number(words[4], "a size", 1, largest_message));
  return "ok";
}

std::string Session::advance(const Words& words) {
  expect_words(words, 2, "advance TIME");
  const std::int64_t end = number(words[1], "a time", now_ns(), latest_ns);
  const auto asked = std::chrono::steady_clock::now();
  const std::vector<MessageId> delivered = traffic_->run_until(
      start_ + ns3::NanoSeconds(end), most_in_answer,
      [&] { return std::chrono::steady_clock::now() - asked > longest_silence; });
  std::string answer = "delivered " + std::to_string(now_ns());
  for (const MessageId id : delivered) answer += " " + std::to_string(id);
  return answer;
}

std::string Session::set_rates(const Words& words) {
  expect_words(words, 5, "rates A B RATE_AB RATE_BA");
  if (!world_->set_rates(number(words[1], "an id", 0, largest_id),
                         number(words[2], "an id", 0, largest_id),
                         number(words[3], "a rate", least_rate, most_rate),
                         number(words[4], "a rate", least_rate, most_rate)))
    throw Refusal{"there is no link between " + std::string(words[1]) + " and " +
                  std::string(words[2])};
  return "ok";
}

}  // namespace shingle_ns3
