#include "apps/drone/results/run_reader.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/drone/results/csv_line.hpp"
#include "apps/drone/results/frames_csv.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

Result<std::string> whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text)  // bad: a folder, say
    return bad_input("cannot read " + in_quotes(path) + ": " + std::strerror(errno) +
                     "; give the folder of a run, as 'shingle-drone track --run' writes it");
  return text.str();
}

}  // namespace

Result<Run> read_run(const std::string& folder) {
  const auto json = whole_file(folder + "/run.json");
  if (!json) return json.failure();
  auto info = read_run_json(*json, folder + "/run.json");
  if (!info) return info.failure();
  const auto text = whole_file(folder + "/frames.csv");
  if (!text) return text.failure();
  auto frames = read_frames(*text, folder + "/frames.csv");
  if (!frames) return frames.failure();
  Run run{.info = std::move(*info), .sightings = std::move(frames->sightings)};
  if (frames->torn_line != 0)
    run.notes.push_back(in_quotes(folder + "/frames.csv") + " ends in the middle of line " +
                        std::to_string(frames->torn_line) + ", which is left out");
  if (!run.info.is_complete)
    run.notes.push_back(
        "the run in " + in_quotes(folder) + " did not come to its end; " +
        (run.sightings.empty()
             ? "it has no frames"
             : "it is read up to " + csv_text(run.sightings.back().seconds, 3) + " s"));
  return run;
}

}  // namespace shingle::drone
