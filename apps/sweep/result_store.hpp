// ResultStore: a folder that keeps the results of sweeps, so that an interrupted one goes on, and
// shards that share the folder are put together.
//
//   FOLDER/1f2e3d4c-2-of-4.jsonl   a line that says what the sweep is, then one line for each
//   design
//
// A file is only appended to. A line that a crash or a full disk cut off is dropped. Results are
// found by their key, whatever sweep wrote them; those of another version of the program are not
// used.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/sweep/prepared_sweep.hpp"
#include "apps/sweep/shard.hpp"

namespace shingle {

// What a results file says of its sweep: all but the results.
struct SweepHeader {
  sim::SweepTable table{};  // without results
  std::string program{};
  std::string identity{};  // of the sweep with its axes: shards of one sweep share it
  friend bool operator==(const SweepHeader&, const SweepHeader&);
};
SweepHeader header_of(const PreparedSweep& sweep, size_t wanted);

// One line of JSON, without the end of line. Equal results are equal lines.
std::string line_of(const sim::DesignResult& result, const std::string& key);

class ResultStore {
 public:
  // Makes the folder, and reads what is in it. `notes` gets one sentence for each file that is not
  // used.
  static Result<ResultStore> open(const std::string& folder, const SweepHeader& header,
                                  const Shard& shard, std::vector<std::string>& notes);
  ResultStore(ResultStore&& other) noexcept;
  ResultStore& operator=(ResultStore&&) = delete;
  ~ResultStore();

  // None: nobody has run it. A result of another sweep is written as one of this one as well; its
  // axes may be others, so `design` says which design it is here.
  Result<std::optional<sim::DesignResult>> find(const std::string& key, const sim::Design& design);
  // Written when it returns. The error is that of the disk; nothing is lost by it but this result.
  Status add(const sim::DesignResult& result, const std::string& key);

 private:
  ResultStore() = default;
  std::string path_;
  int file_ = -1;
  std::map<std::string, sim::DesignResult> results_;  // by key
  std::set<std::string> own_;                         // keys of this file
};

// The shards of the one sweep in the folder, put together.
Result<SweepHeader> merge_results(const std::string& folder, std::vector<std::string>& notes);

}  // namespace shingle
