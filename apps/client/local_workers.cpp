#include "apps/client/local_workers.hpp"

#include <fstream>
#include <thread>

#include "apps/system/write_file.hpp"
#include "transport/keys/key_folder.hpp"

namespace shingle {
namespace {

std::string plain(double value) {
  std::string text = std::to_string(value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Workers share this machine's cores, so all are as fast as each other but for `slow`.
ClusterFile cluster_of(const LocalWorkersOptions& options, const std::vector<uint16_t>& ports) {
  ClusterFile cluster;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    ClusterFileNode node;
    node.id = NodeId{i};
    node.name = i < options.count ? "worker" + std::to_string(i) : "owner";
    node.port = ports[i];
    cluster.nodes.push_back(node);
  }
  return cluster;
}

Status make_keys(const KeyFolder& folder, const ClusterFile& cluster) {
  if (const Status made = folder.create(); !made) return made;
  Allowed allowed;
  for (const ClusterFileNode& node : cluster.nodes) {
    const KeyPair pair = new_key_pair();
    allowed.add(node.id, pair.open);
    if (const Status saved = folder.save(node.id, pair); !saved) return saved;
  }
  return folder.save(allowed);
}

}  // namespace

Result<LocalWorkers> LocalWorkers::start(const LocalWorkersOptions& options) {
  auto folder = TemporaryFolder::make();
  if (!folder) return Error{folder.error()};
  auto ports = ReservedPorts::on_loopback(options.count + 1);
  if (!ports) return Error{ports.error()};
  LocalWorkers workers(std::move(*folder), std::move(*ports));
  workers.cluster_ = cluster_of(options, workers.ports_.ports());
  const std::string text = print(workers.cluster_);
  const Status written = write_file(workers.folder_.path() + "/cluster.toml",
                                    std::as_bytes(std::span(text.data(), text.size())));
  if (!written) return Error{written.error()};
  if (const Status made = make_keys(KeyFolder(workers.keys()), workers.cluster_); !made)
    return Error{made.error()};
  for (uint32_t i = 0; i < options.count; ++i)
    if (const Status started = workers.start_worker(i, options); !started)
      return Error{started.error()};
  return workers;
}

Status LocalWorkers::start_worker(uint32_t worker, const LocalWorkersOptions& options) {
  const std::string stem = folder_.path() + "/worker" + std::to_string(worker);
  ChildProcess::Options child{
      .program = options.program,
      .arguments = {"node", "--cluster", folder_.path() + "/cluster.toml", "--id",
                    std::to_string(worker), "--config", "none", "--threads",
                    std::to_string(options.threads), "--executor", options.executor, "--keys",
                    keys(), "--patience", std::to_string(local_patience.count())},
      .output_file = stem + ".out",
      .error_file = stem + ".err"};
  for (const ModelPath& model : options.models) {
    child.arguments.insert(child.arguments.end(), {"--models", model.path});
    if (!model.weights.empty())  // right behind the .cfg: they belong to it
      child.arguments.insert(child.arguments.end(), {"--models", model.weights});
  }
  if (!options.packed.empty()) {
    child.arguments.push_back("--packed");
    child.arguments.push_back(options.packed);
  }
  if (!options.max_constants.empty()) {
    child.arguments.push_back("--max-constants");
    child.arguments.push_back(options.max_constants);
  }
  if (!options.memory.empty()) {
    child.arguments.push_back("--memory");
    child.arguments.push_back(options.memory);
  }
  if (worker < options.slow.size() && options.slow[worker] > 1.0) {
    child.arguments.push_back("--slow");
    child.arguments.push_back(plain(options.slow[worker]));
  }
  auto started = ChildProcess::start(child);
  if (!started) return Error{started.error()};
  workers_.push_back(std::move(*started));
  return success();
}

std::optional<std::string> LocalWorkers::ended() {
  for (uint32_t i = 0; i < workers_.size(); ++i)
    if (const auto how = workers_[i].ended())
      return "worker " + std::to_string(i) + " (process " + std::to_string(workers_[i].id()) +
             ") ended with " + *how + last_words(i);
  return std::nullopt;
}

std::string LocalWorkers::last_words(uint32_t worker) const {
  std::ifstream errors(folder_.path() + "/worker" + std::to_string(worker) + ".err");
  std::string line, last;
  while (std::getline(errors, line))
    if (!line.empty()) last = line;
  return last.empty() ? "" : ", saying \"" + last + "\"";
}

LocalWorkers::~LocalWorkers() {
  for (ChildProcess& worker : workers_) worker.ask_to_stop();
  for (ChildProcess& worker : workers_) worker.wait_or_kill();
}

}  // namespace shingle
