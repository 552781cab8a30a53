// A cluster of one member, for tests of the driver: its configuration, and a driver with all that
// it needs.
#pragma once

#include <doctest/doctest.h>

#include "runtime/driver/driver.hpp"
#include "tests/runtime/node/observed.hpp"

namespace shingle::testing {

// A cluster of one has nobody to send to.
class NoPeers final : public Transport {
 public:
  void send(NodeId, const Envelope&, const Message&, const Body&) override {
    FAIL("a message to nobody");
  }
};

inline NodeConfig one_member() {
  NodeConfig config;
  config.id = {1};
  config.members = {{1}};
  return config;
}

// A driver that runs, and what it reports.
struct Running {
  Running(DriverOptions options, std::vector<std::unique_ptr<Executor>> executors)
      : driver(listened(std::move(options)), std::move(executors), inbox, transport, clock) {
    driver.start();
  }
  Observed observed;
  Inbox inbox;
  NoPeers transport;
  SteadyClock clock;
  Driver driver;

 private:
  DriverOptions listened(DriverOptions options) {
    observed.listen(options);
    return options;
  }
};

}  // namespace shingle::testing
