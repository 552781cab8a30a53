#include "tests/apps/broker.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace shingle {

Broker::Broker(std::string rights)
    : rights_(std::move(rights)), ports_(std::move(ReservedPorts::on_loopback(1).value())) {
  start();
}

std::string Broker::uri() const { return "mqtt://127.0.0.1:" + std::to_string(port()); }

void Broker::start() {
  std::string limits;
  if (!rights_.empty()) limits = "acl_file " + folder_.with_text("rights", rights_) + "\n";
  const std::string rules = folder_.with_text(
      "mosquitto.conf", "listener " + std::to_string(port()) +
                            " 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n" +
                            limits);
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
