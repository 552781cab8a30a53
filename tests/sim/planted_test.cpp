// All planted bugs (tests/planted/*.patch) must apply to today's sources. tests/planted/run.py
// shows that seeds, or tests (tests/planted/by_tests), find each of them.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/places.hpp"

namespace shingle {
namespace {

struct Hunk {
  std::string file, before;  // what the patch expects to find there
  int changed = 0;           // lines
};

std::string contents_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<Hunk> hunks_of(const std::filesystem::path& patch) {
  std::vector<Hunk> hunks;
  std::istringstream lines(contents_of(patch));
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("--- a/"))
      file = line.substr(6);
    else if (line.starts_with("@@"))
      hunks.push_back({file, {}, 0});
    else if (!hunks.empty() && !line.starts_with("+++")) {
      hunks.back().changed += line[0] == ' ' ? 0 : 1;
      if (line[0] != '+') hunks.back().before += line.substr(1) + "\n";
    }
  }
  return hunks;
}

TEST_CASE("every planted bug still fits the source, in at most five lines") {
  const std::filesystem::path root = source_folder();
  size_t bugs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests/planted")) {
    if (entry.path().extension() != ".patch") continue;
    CAPTURE(entry.path().filename().string());
    int changed = 0;
    for (const Hunk& hunk : hunks_of(entry.path())) {
      changed += hunk.changed;
      CHECK(contents_of(root / hunk.file).find(hunk.before) != std::string::npos);
    }
    CHECK(changed >= 1);
    CHECK(changed <= 5);
    ++bugs;
  }
  CHECK(bugs >= 29);
}

}  // namespace
}  // namespace shingle
