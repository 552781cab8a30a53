// What the options of a session say, as values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/client/patience.hpp"
#include "apps/heads/reading.hpp"
#include "apps/members/broker.hpp"
#include "apps/models/model_file.hpp"
#include "apps/system/log.hpp"
#include "partition/cluster/cluster.hpp"

namespace shingle {

struct ModelSettings {
  std::string path, weights;
  std::shared_ptr<const std::vector<std::byte>> bytes{};  // in the place of a path
  InputShapes shapes{};
  int64_t opset = 0;  // 0: the file's own
};

struct PlaceSettings {
  std::string cluster;  // as in WorkplaceOptions
  BrokerOptions broker;
  std::optional<uint32_t> id;
  Admission admission;
  uint32_t workers = 4, threads = 1;
  std::string node_program, packed;
  std::string memory;        // as the user wrote it; empty: no cap
  int64_t memory_bytes = 0;  // the same
  std::optional<double> patience_seconds;
};

// Of all sessions of a process on one node of a cluster together, frames under way at once.
inline constexpr uint32_t most_open_in_cluster = 64;

struct StreamSettings {
  std::string plan;
  bool keep_plan = false;
  Goal::Kind goal = Goal::Kind::latency;
  uint32_t open_frames = 4;
  uint32_t queue = 64;
  std::optional<Duration> deadline{};
  double audit_share = 0.0;
  std::chrono::milliseconds start_patience{30'000};
};

// How pictures and outputs are read.
struct PictureSettings {
  bool taken = false;  // the model takes pictures; otherwise tensors
  ReadingOptions reading{};
  std::optional<float> min_score{};  // none: the head's usual one
  float max_overlap = Thresholds{}.max_overlap;
};

struct SessionSettings {
  ModelSettings model;
  PictureSettings pictures;
  PlaceSettings place;
  StreamSettings stream;
  Log log{};
};

// The sentence says what is wrong with the name or the value; then nothing is changed.
Status set(SessionSettings& settings, const std::string& name, const std::string& value);

}  // namespace shingle
