// Listens at a broker, and may say anything there, as anybody may.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/apps/broker.hpp"
#include "tests/apps/program.hpp"
#include "transport/mqtt/mqtt_link.hpp"

namespace shingle {

class TopicListener {
 public:
  // `topic` may have wildcards. Returns once it listens.
  TopicListener(const Broker& broker, const std::string& topic,
                const std::string& name = "listener") {
    link_ = MqttLink::open({.broker = {.uri = broker.uri()},
                            .client = name,
                            .last_will = {"listener/" + name, "gone"},
                            .topics = {topic},
                            .on_message =
                                [this](const std::string& at, std::string_view text) {
                                  const std::lock_guard lock(mutex_);
                                  heard_[at].emplace_back(text);
                                }})
                .value();
    REQUIRE(becomes_true([this] { return link_->connected(); }));
  }
  MqttLink& link() { return *link_; }
  std::vector<std::string> heard(const std::string& topic) const {
    const std::lock_guard lock(mutex_);
    const auto found = heard_.find(topic);
    return found == heard_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> heard_;
  std::unique_ptr<MqttLink> link_;
};

}  // namespace shingle
