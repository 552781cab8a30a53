// The verbs of `shingle`, but for `node`, which is a program of its own (apps/node/node_verb.hpp).
// Each has its options, a function that describes them to the command line, and one that carries
// the verb out and returns the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/common_options.hpp"
#include "apps/models/model_file.hpp"
#include "apps/node/admission.hpp"
#include "apps/node/broker_options.hpp"
#include "apps/vision/reading.hpp"

namespace CLI {
class App;
}

namespace shingle {

// MODEL and what is said about reading it, which most verbs take.
struct ModelChoice {
  std::string path, weights;
  std::string shape;          // "1x3x480x640", or empty
  std::string max_constants;  // as 512MiB, or empty

  ModelPath where() const { return {path, weights}; }
};
void describe(CLI::App& verb, ModelChoice& model, bool required = true);

// REQUIRES: the texts were checked as describe() has them checked.
OnnxOptions onnx_options_of(const ModelChoice& model);
OnnxOptions sized_by_plan(const ModelChoice& model, const std::string& plan_file);  // or by --shape
inline constexpr const char* memory_help =
    "what each node may hold beside its bare process, as 48MiB";
void describe(CLI::App& verb, ReadingOptions& wishes);

struct RunOptions {
  ModelChoice model;
  std::vector<std::string> further_models;  // "NAME=FILE:EVERY"
  std::string input;
  std::string cluster;  // empty: local workers, or who announces himself at a broker
  BrokerOptions broker;
  std::optional<uint32_t> id;
  uint32_t workers = 4;
  uint32_t threads = 1;
  std::string out, raw_out, plan;
  ReadingOptions reading;
  std::optional<float> min_score;
  float max_overlap = 0.45F;
  std::optional<uint64_t> frames;
  uint32_t open_frames = 4;
  std::optional<double> deadline_seconds;  // of a frame
  std::string audit;                       // share of the tiles, as "2%"; empty: none
  std::string goal = "latency";
  std::optional<double> patience_seconds;  // a node that says nothing for so long is lost
  bool json = false, verify = false, compute = false, keep_plan = false;
  std::string slow_file;            // holds how many times longer this node takes
  std::vector<std::string> models;  // of other owners, whose tiles are computed here
  Admission admission;
  std::vector<std::string> slow_workers;  // "I:F"
  std::string executor = "native";
  std::string packed, memory;
  std::string trace;  // file; empty: none
};
void describe(CLI::App& verb, RunOptions& options);
// Of a text as "2%" or "0.02"; none if it is neither.
std::optional<double> audit_share(const std::string& text);
int run_verb(const RunOptions& options);

struct PlanOptionsOfUser {
  ModelChoice model;
  std::string cluster, out;
  std::optional<uint32_t> nodes;
  std::string grid;  // "RxC"
  std::vector<std::string> cut_after;
  std::string goal = "latency", memory;
  double deadline_ms = 0.0;  // 0: none
  std::optional<uint32_t> owner;
  int32_t open_frames = 2;
  ReadingOptions reading;
  std::string scheme;  // "ftp:5x5:16+reuse": simulated instead of a plan
  bool json = false, explain = false;
};
void describe(CLI::App& verb, PlanOptionsOfUser& options);
int run_verb(const PlanOptionsOfUser& options);

struct CompileOptions {
  ModelChoice model;
  std::string cluster, plan, out;
  uint32_t nodes = 1;
  ReadingOptions reading;
  bool capped = false, json = false;
};
void describe(CLI::App& verb, CompileOptions& options);
int run_verb(const CompileOptions& options);

struct VerifyOptions {
  ModelChoice model;
  std::string of = "native", against = "reference";  // executors; NAME-direct: without Winograd
  std::string cluster;                               // whose nodes are asked instead of `of`
  std::optional<uint32_t> id;
  std::vector<uint32_t> nodes;
  Admission admission;
  uint32_t threads = 1;
  uint64_t seed = 1;
  double tolerance = 1e-5;
  bool soft_errors = false;  // instead of a comparison
  uint64_t flips = 60;       // at each place
  double seconds = 60.0;
  std::vector<std::string> images;
  ReadingOptions reading;
  bool json = false;
};
void describe(CLI::App& verb, VerifyOptions& options);
int run_verb(const VerifyOptions& options);

struct ClusterOptions {
  std::string file;
  bool json = false;
};
void describe(CLI::App& verb, ClusterOptions& options);
int run_verb(const ClusterOptions& options);

struct ProfileOptions {
  std::optional<uint32_t> threads;  // all cores
  std::string cores;
  std::string executor = "native";
  std::string out;
  std::string peer, answer;  // "ADDRESS:PORT"
  bool json = false, insecure = false;
};
void describe(CLI::App& verb, ProfileOptions& options);
int run_verb(const ProfileOptions& options);

// `shingle keys ACTION`.
struct KeysOptions {
  enum class Action : uint8_t { init, add, revoke, seal, list };
  Action action = Action::list;
  std::string keys;  // empty: the usual folder
  std::string cluster;
  std::optional<uint32_t> node;
  std::string open;  // a public key made elsewhere
  bool json = false;
};
void describe(CLI::App& verb, KeysOptions& options);
int run_verb(const KeysOptions& options);

struct ModelOptions {
  ModelChoice model;
  ReadingOptions reading;  // of `check`
  uint32_t threads = 1;    // of `--memory`
  bool check = false, memory = false, json = false;
};
void describe(CLI::App& verb, ModelOptions& options);
int run_verb(const ModelOptions& options);

}  // namespace shingle
