// Session: one running member of a cluster: a Node with its driver, its executor and its wires.
// `shingle node` is one that computes, `shingle run` one that owns frames.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/client/node_wires.hpp"
#include "apps/system/log.hpp"
#include "devices/budget/memory_cap.hpp"
#include "devices/executor/executor.hpp"
#include "devices/weights/compiled_file.hpp"
#include "runtime/driver/clock.hpp"
#include "runtime/driver/driver.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

struct ExecutorOptions {
  std::string name = "native";  // or "xnnpack", "reference"
  uint32_t threads = 1;
  std::string packed_folder{};  // of packed weights, or empty
  bool capped = false;          // keeps no weights transformed
  CompiledFiles compiled{};     // whose packed weights it takes first
  Log log{};                    // of what this processor lacks
};

// An error for a name that there is not.
Result<std::unique_ptr<Executor>> make_executor(const ExecutorOptions& options);

struct SessionOptions {
  ClusterFile cluster;
  NodeId id;
  std::unique_ptr<Executor> executor;  // null: owns frames and computes nothing
  ExecutorMaker another_executor{};    // for further models; none: it serves one
  NodeLimits limits{};
  CappedNode memory{};    // no cap, unless it says one; the session fills in who it is
  std::string keys{};     // a KeyFolder's path
  bool insecure = false;  // instead of keys
  std::optional<Announced> announced{};
  std::unique_ptr<NodeWires> wires{};  // that are open already; null: the session opens its own
  Log log{};
  ModelFinder find_model;
  // On the driver's thread: see DriverOptions.
  std::function<void(const FrameKey&, std::span<const Output>)> on_deliver;
  std::function<void(const Report&)> on_report;
  std::function<void(const TraceEvent&)> on_trace{};  // none: nothing is traced
};

class Session {
 public:
  // Binds and begins. The sentence names what is wrong: an id that the cluster file has not, a port
  // in use.
  static Result<std::unique_ptr<Session>> start(SessionOptions options);
  ~Session();  // stops

  NodeId id() const { return id_; }
  Driver& driver() { return *driver_; }
  ZmqTransport& transport() { return wires_->transport(); }
  int64_t bare_bytes() const { return bare_bytes_; }  // resident before there was a plan
  void stop();

 private:
  explicit Session(NodeId id) : id_(id) {}
  const NodeId id_;
  int64_t bare_bytes_ = 0;
  SteadyClock clock_;
  std::unique_ptr<NodeWires> wires_;
  std::unique_ptr<Driver> driver_;  // last: it uses all of the above
};

}  // namespace shingle
