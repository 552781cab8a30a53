// Prints one line for each scenario file: its name, how many events its trace has, and a hash of
// them: times, nodes, frames, tiles and bytes. A kind of message or report counts by the order in
// which the scenario first shows it, so a new name for it changes nothing; sentences do not count.
//
//   scenarios FILE...
//
// `tools/bench house --only bits` compiles this file against two checkouts and compares the lines.
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "sim/scenario.hpp"

namespace {

class Digest {
 public:
  void add(uint64_t word) { value_ = (value_ ^ (word ^ word >> 29)) * 0x100000001b3U; }
  void add(const shingle::TraceEvent& event) {
    const auto [kind, first] = kinds_.try_emplace(event.what, kinds_.size());
    add(static_cast<uint64_t>(event.at.time_since_epoch().count()));
    add(static_cast<uint64_t>(event.length.count()));
    add(static_cast<uint64_t>(event.kind));
    add(uint64_t{event.node.value} << 32 | event.peer.value);
    add(uint64_t{event.tile.value});
    add(event.key.owner.value);
    add(event.key.life);
    add(event.key.frame);
    add(event.key.attempt);
    add(static_cast<uint64_t>(event.bytes));
    add(static_cast<uint64_t>(kind->second));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325U;
  std::map<std::string, size_t> kinds_{};
};

}  // namespace

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    std::ostringstream text;
    text << std::ifstream(words[i]).rdbuf();
    const auto run = shingle::sim::run_scenario(text.str());
    if (!run) {
      std::fprintf(stderr, "scenarios: '%s' does not run\n", words[i]);
      return 1;
    }
    Digest digest;
    for (const shingle::TraceEvent& event : run->trace) digest.add(event);
    std::printf("%s %zu %016" PRIx64 "\n", std::filesystem::path(words[i]).stem().string().c_str(),
                run->trace.size(), digest.value());
  }
  return 0;
}
