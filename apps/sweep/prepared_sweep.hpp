// A sweep that can be run: its file, the models of its experiment, and what identifies it.
#pragma once

#include <string>

#include "apps/models/model_file.hpp"
#include "sim/experiment/ftp_run.hpp"
#include "sim/sweep/sweep_table.hpp"

namespace shingle {

struct PreparedSweep {
  std::string path;             // of the sweep
  std::string experiment_path;  // what the experiment names lies beside it
  SweepFile file;
  sim::DesignSpace space{};
  std::vector<ModelFile> files{};  // that hold weights of the models
  std::vector<sim::KnownModel> models{};
  // Of the program, the experiment, its models, boards and profiles, the objectives and seeds:
  // equal identities and equal values of the axes have equal results.
  Hash identity{};
};
Result<PreparedSweep> prepare_sweep(const std::string& path);

// "radio=b-11 cores=2": with it and the identity a result is found again.
std::string text_of(const SweepFile& file, const sim::Design& design);
std::string key_of(const PreparedSweep& sweep, const sim::Design& design);

// Runs designs, one after the other. Each thread has its own.
class DesignRunner {
 public:
  explicit DesignRunner(const PreparedSweep& sweep) : sweep_(sweep) {}  // must outlive this

  // What a design lacks (a plan that fits its memory, say) is in the result.
  sim::DesignResult run(const sim::Design& design);

 private:
  Result<sim::Experiment> experiment_of(const sim::Design& design) const;

  const PreparedSweep& sweep_;
  sim::FtpMemo memo_;
};

}  // namespace shingle
