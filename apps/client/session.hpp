// Session: one running member of a cluster: a Node with its driver, its executor and its
// connections. `shingle node` has one that computes, `shingle run` one that owns frames.
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
  std::string packed_folder{};  // of packed weights; empty: none
  bool capped = false;          // keeps no transformed weights
  CompiledFiles compiled{};     // their packed weights are used first
  Log log{};                    // for a warning about what this processor lacks
};

// An error for an unknown name.
Result<std::unique_ptr<Executor>> make_executor(const ExecutorOptions& options);

struct SessionOptions {
  ClusterFile cluster;
  NodeId id;
  std::unique_ptr<Executor> executor;  // null: owns frames and computes nothing
  ExecutorMaker another_executor{};    // for further models; none: it serves one model
  NodeLimits limits{};
  CappedNode memory{};    // without a cap by default; the session fills in the id
  std::string keys{};     // a KeyFolder's path
  bool insecure = false;  // instead of keys
  // Chooses malloc's settings for what it does, and counts memory from its start. False: the
  // process is somebody else's, and both stay as they are. REQUIRES: then no executor, or no memory
  // cap.
  bool sets_up_process = true;
  std::optional<Announced> announced{};
  std::unique_ptr<NodeWires> wires{};  // open already; null: the session opens its own
  Log log{};
  ModelFinder find_model;
  // On the driver's thread: see DriverOptions.
  std::function<void(const FrameKey&, std::span<const Output>)> on_deliver;
  std::function<void(const Report&)> on_report;
  std::function<void(const TraceEvent&)> on_trace{};  // none: nothing is traced
};

class Session {
 public:
  // Binds and starts. The sentence says what is wrong: an id that is not in the cluster file, a
  // port in use.
  static Result<std::unique_ptr<Session>> start(SessionOptions options);
  ~Session();  // stops

  NodeId id() const { return id_; }
  Driver& driver() { return *driver_; }
  ZmqTransport& transport() { return wires_->transport(); }
  void look_at_addresses() { wires_->look_at_addresses(); }  // see NodeWires
  int64_t bare_bytes() const { return bare_bytes_; }  // resident memory before the first plan
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
