#include "tests/apps/broker.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace shingle {

Broker::Broker() : ports_(std::move(ReservedPorts::on_loopback(1).value())) { start(); }

std::string Broker::uri() const { return "mqtt://127.0.0.1:" + std::to_string(port()); }

void Broker::start() {
  const std::string rules = folder_.with_text(
      "mosquitto.conf", "listener " + std::to_string(port()) +
                            " 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n");
  auto started = ChildProcess::start({.program = "/usr/sbin/mosquitto",
                                      .arguments = {"-c", rules},
                                      .output_file = folder_ / "out",
                                      .error_file = folder_ / "err"});
  REQUIRE(started.ok());
  process_ = std::move(*started);
}

void Broker::kill() {
  ::kill(process_->id(), SIGKILL);
  REQUIRE(process_->ended(std::chrono::seconds(20)) == "signal 9");
}

}  // namespace shingle
