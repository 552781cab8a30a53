// What the tests of `shingle serve` share: a real server in this process on ports and files of its
// own, with real local workers, and small models.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apps/serve/server.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/scratch_folder.hpp"

namespace shingle::testing {

// A small network of 1 x 3 x 32 x 32 floats.
std::string tiny_network(const ScratchFolder& folder, uint64_t seed = 1);
std::vector<float> tiny_values(uint64_t seed);
// Of models/vehicles.onnx.
std::string vehicles_model();
// Options of sessions: this build's worker, one of it.
serve::OptionTexts session_texts();

// Worker processes of this one, whichever thread started them.
std::vector<pid_t> worker_processes();
inline size_t workers_running() { return worker_processes().size(); }

// Sentences that a server noted.
class ServerNotes {
 public:
  Log log();
  bool contain(const std::string& part) const;
  size_t count(const std::string& part) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> sentences_;
};

struct TestServer {
  // `change`: of a plan with HTTP at a free port and nothing else.
  template <class Change>
  explicit TestServer(const Change& change) {
    ServePlan plan = usual_plan();
    change(plan, folder);
    start(plan);
  }
  static ServePlan usual_plan();
  void start(const ServePlan& plan);
  uint16_t port() const { return server->http_port().value(); }
  // Until all models are loaded for HTTP.
  void wait_until_ready() const;

  ScratchFolder folder;
  ServerNotes notes;
  std::unique_ptr<serve::Server> server;
};

// What the C library computes of one input: the first output.
std::vector<float> by_the_library(const std::string& model, const std::vector<float>& values);

}  // namespace shingle::testing
