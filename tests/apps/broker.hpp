// A real mosquitto on a port of the loopback, for one test.
#pragma once

#include <optional>

#include "apps/system/child_process.hpp"
#include "apps/system/reserved_ports.hpp"
#include "tests/apps/scratch_folder.hpp"

namespace shingle {

class Broker {
 public:
  // Runs, as soon as it can be connected to. `rights`: lines of an acl_file; none: all is allowed.
  explicit Broker(std::string rights = {});
  void kill();
  void start();  // again, at the same port, having forgotten everything
  std::string uri() const;
  uint16_t port() const { return ports_.ports().front(); }

 private:
  const std::string rights_;
  ScratchFolder folder_;
  ReservedPorts ports_;
  std::optional<ChildProcess> process_;
};

}  // namespace shingle
