// SPDX-License-Identifier: GPL-2.0-only
// The conversation: one answer to each request, and the simulation between them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/ns3/description.hpp"
#include "sim/ns3/traffic.hpp"

namespace shingle_ns3 {

std::string version();  // of ns-3

class Session {
 public:
  explicit Session(std::string pcap) : pcap_(std::move(pcap)) {}
  // Throws Refusal; then the conversation is over.
  std::string answer(const std::string& line);

 private:
  using Words = std::vector<std::string_view>;
  std::string greet(const Words& words);
  std::string start();
  std::string send(const Words& words);
  std::string advance(const Words& words);
  std::string set_rates(const Words& words);
  std::int64_t now_ns() const;

  std::string pcap_;
  bool greeted_ = false;
  Description description_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Traffic> traffic_;
  ns3::Time start_;  // when the other side's time 0 was
};

}  // namespace shingle_ns3
