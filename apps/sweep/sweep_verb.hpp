// `shingle sweep`: its options, their description to the command line, and the verb itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace shingle {

struct SweepOptions {
  std::string file;
  std::string folder;  // of results; empty: beside nothing, named after the file
  std::string merge;   // a folder: nothing is run
  std::string shard;   // "2/4"; empty: as the environment says
  std::string page, csv, lines;
  std::optional<uint32_t> threads;
  bool json = false;
};
void describe(CLI::App& verb, SweepOptions& options);
int run_verb(const SweepOptions& options);

}  // namespace shingle
