// LocalWorkers: worker processes of the program `shingle` on this machine, so that the first use
// needs no cluster file. Node ids 0 to count-1 are the workers; `count` is the owner, which started
// them. All have keys that last as long as they, so that nobody else on this machine can join.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/models/model_file.hpp"
#include "apps/system/child_process.hpp"
#include "apps/system/reserved_ports.hpp"
#include "apps/system/temporary_folder.hpp"
#include "devices/files/cluster_file.hpp"

namespace shingle {

// Processes of one busy machine may keep each other waiting; a dead one shows by its connection.
inline constexpr std::chrono::seconds local_patience{20};

struct LocalWorkersOptions {
  std::string program = own_program();  // the `shingle` binary
  uint32_t count = 4;
  uint32_t threads = 1;
  std::vector<ModelPath> models{};  // that they may look up
  std::string max_constants{};      // of an ONNX file, as 512MiB; or empty
  std::vector<double> slow;         // by worker; 1.0: as fast as it can
  std::string executor = "native";
  std::string packed;    // folder of packed weights, or empty
  std::string memory{};  // cap, as 48MiB; or empty
};

class LocalWorkers {
 public:
  // Writes a cluster file with loopback ports that are free, and starts them. They may still be
  // starting when this returns.
  static Result<LocalWorkers> start(const LocalWorkersOptions& options);

  LocalWorkers(LocalWorkers&&) noexcept = default;
  LocalWorkers& operator=(LocalWorkers&&) = delete;
  ~LocalWorkers();  // asks all to stop, then waits

  const ClusterFile& cluster() const { return cluster_; }
  std::string keys() const { return folder_.path() + "/keys"; }
  NodeId owner() const { return cluster_.nodes.back().id; }

  // A sentence about the first worker that ended by itself; none while all run.
  std::optional<std::string> ended();

 private:
  LocalWorkers(TemporaryFolder folder, ReservedPorts ports)
      : folder_(std::move(folder)), ports_(std::move(ports)) {}
  Status start_worker(uint32_t worker, const LocalWorkersOptions& options);
  std::string last_words(uint32_t worker) const;

  TemporaryFolder folder_;
  ReservedPorts ports_;
  ClusterFile cluster_;
  std::vector<ChildProcess> workers_;
};

}  // namespace shingle
