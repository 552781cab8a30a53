// The verbs of `shingle`, but for `node`, which is a program of its own (apps/node/node_verb.hpp).
// Each has its options, a function that describes them to the command line, and one that carries
// the verb out and returns the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/common_options.hpp"
#include "apps/node/admission.hpp"
#include "apps/run/run_options.hpp"

namespace shingle {

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

struct TileProfileOptions {  // folders of tables of measured tiles
  std::string fit, check, retarget;
  std::string grid, with;
  std::optional<uint64_t> seed;
  bool other_board = false;
};
struct ProfileOptions {
  std::optional<uint32_t> threads;  // all cores
  std::string cores;
  std::string executor = "native";
  std::string out;
  std::string peer, answer;  // "ADDRESS:PORT"
  bool json = false, insecure = false;
  TileProfileOptions tiles;
};
void describe(CLI::App& verb, ProfileOptions& options);
int run_verb(const ProfileOptions& options);

struct ModelOptions {
  ModelChoice model;
  ReadingOptions reading;  // of `check`
  uint32_t threads = 1;    // of `--memory`
  bool check = false, layers = false, memory = false, json = false;
};
void describe(CLI::App& verb, ModelOptions& options);
int run_verb(const ModelOptions& options);

}  // namespace shingle
