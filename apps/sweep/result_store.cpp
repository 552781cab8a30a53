#include "apps/sweep/result_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/cli/command_line.hpp"
#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;
using sim::DesignResult;

std::string number(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

Json json_of(const SweepHeader& header) {
  Json axes = Json::array();
  for (const auto& axis : header.table.axes)
    axes.push_back({{"name", axis.name}, {"values", axis.values}});
  Json figures = Json::array();
  for (const Objective figure : header.table.figures)
    figures.push_back(objective_names()[static_cast<size_t>(figure)]);
  return {{"sweep", header.table.title},
          {"program", header.program},
          {"identity", header.identity},
          {"method", sweep_methods()[static_cast<size_t>(header.table.method)]},
          {"designs", header.table.wanted},
          {"seeds", header.table.seeds},
          {"figures", figures},
          {"objectives", header.table.objectives},
          {"axes", axes}};
}

template <class Kind>
Kind kind_named(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Kind>(std::ranges::find(names, name) - names.begin());
}

// None: the line is not one that a sweep writes.
std::optional<SweepHeader> read_header(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  SweepHeader header;
  try {
    header.table.title = json.at("sweep").get<std::string>();
    header.program = json.at("program").get<std::string>();
    header.identity = json.at("identity").get<std::string>();
    header.table.method =
        kind_named<SweepMethod>(sweep_methods(), json.at("method").get<std::string>());
    header.table.wanted = json.at("designs").get<size_t>();
    header.table.seeds = json.at("seeds").get<uint32_t>();
    for (const Json& each : json.at("figures"))
      header.table.figures.push_back(
          kind_named<Objective>(objective_names(), each.get<std::string>()));
    header.table.objectives = json.at("objectives").get<size_t>();
    for (const Json& each : json.at("axes"))
      header.table.axes.push_back(
          {each.at("name").get<std::string>(), each.at("values").get<std::vector<std::string>>()});
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  const bool known = header.table.method <= SweepMethod::nsga2 &&
                     std::ranges::all_of(header.table.figures, [](Objective figure) {
                       return static_cast<size_t>(figure) < objective_names().size();
                     });
  const size_t objectives = header.table.objectives;
  const bool sound = known && objectives > 0 && objectives <= header.table.figures.size();
  return sound ? std::optional(header) : std::nullopt;
}

std::optional<std::pair<std::string, DesignResult>> read_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  std::pair<std::string, DesignResult> read;
  try {
    read.first = json.at("key").get<std::string>();
    read.second.design = json.at("design").get<sim::Design>();
    if (json.contains("failure")) read.second.failure = json.at("failure").get<std::string>();
    if (json.contains("extrapolated"))
      read.second.extrapolated = json.at("extrapolated").get<std::string>();
    read.second.figures = json.at("figures").get<std::vector<std::vector<double>>>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return read;
}

// A result that fits no design of the sweep comes from a file that somebody changed.
bool fits(const DesignResult& result, const sim::SweepTable& table) {
  if (result.design.size() != table.axes.size()) return false;
  for (size_t i = 0; i < result.design.size(); ++i)
    if (result.design[i] >= table.axes[i].values.size()) return false;
  if (result.figures.empty() == result.failure.empty()) return false;
  return std::ranges::all_of(result.figures, [&](const std::vector<double>& figures) {
    return figures.size() == table.figures.size();
  });
}

struct ReadFile {
  SweepHeader header;
  std::vector<std::pair<std::string, DesignResult>> results;
  int64_t whole_bytes = 0;  // of whole lines
};

// None: the file is empty, or its first line is cut off or no sweep's.
std::optional<ReadFile> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  ReadFile file;
  std::string line;
  const auto next = [&] { return std::getline(in, line) && !in.eof(); };
  if (!next()) return std::nullopt;
  const auto header = read_header(line);
  if (!header) return std::nullopt;
  file.header = *header;
  file.whole_bytes = static_cast<int64_t>(line.size()) + 1;
  while (next()) {
    file.whole_bytes += static_cast<int64_t>(line.size()) + 1;
    auto result = read_line(line);
    if (result && fits(result->second, file.header.table))
      file.results.push_back(std::move(*result));
  }
  return file;
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".jsonl" && entry.is_regular_file(error))
      paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

std::string of_another_version(const std::string& path, const ReadFile& file) {
  return "the results in " + path + " come from " + file.header.program + ", this is " +
         program_version + ": they are not used";
}

std::string reason() { return std::strerror(errno); }

// All of it, or an error.
bool write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

bool operator==(const SweepHeader& a, const SweepHeader& b) {
  return a.program == b.program && json_of(a) == json_of(b);
}

SweepHeader header_of(const PreparedSweep& sweep, size_t wanted) {
  SweepHeader header{.program = program_version};
  std::string text = to_string(sweep.identity);
  for (const SweepAxis& axis : sweep.file.axes) {
    header.table.axes.push_back({axis.name, {}});
    text += "\n" + axis.name;
    for (const SweepValue& value : axis.values) {
      header.table.axes.back().values.push_back(value.text);
      text.append(" ").append(value.text);
    }
  }
  header.table.title = sweep.file.title.empty() ? sweep.path : sweep.file.title;
  header.table.method = sweep.file.method;
  header.table.figures = sweep.file.figures;
  header.table.objectives = sweep.file.objectives;
  header.table.seeds = sweep.file.seeds;
  header.table.wanted = wanted;
  text += "\n" + sweep_methods()[static_cast<size_t>(sweep.file.method)] + " " +
          std::to_string(wanted) + " " + std::to_string(sweep.file.seed) + " " +
          std::to_string(sweep.file.objectives);
  header.identity = to_string(sha256(text));
  return header;
}

std::string line_of(const DesignResult& result, const std::string& key) {
  std::string line = "{\"key\":\"" + key + "\",\"design\":[";
  for (size_t i = 0; i < result.design.size(); ++i)
    line.append(i == 0 ? "" : ",").append(std::to_string(result.design[i]));
  line += "]";
  if (!result.failure.empty())
    line.append(",\"failure\":")
        .append(Json(result.failure).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!result.extrapolated.empty())
    line.append(",\"extrapolated\":").append(Json(result.extrapolated).dump());
  line += ",\"figures\":[";
  for (size_t seed = 0; seed < result.figures.size(); ++seed) {
    line += seed == 0 ? "[" : ",[";
    for (size_t i = 0; i < result.figures[seed].size(); ++i)
      line.append(i == 0 ? "" : ",").append(number(result.figures[seed][i]));
    line += "]";
  }
  return line + "]}";
}

Result<ResultStore> ResultStore::open(const std::string& folder, const SweepHeader& header,
                                      const Shard& shard, std::vector<std::string>& notes) {
  if (const Status made = make_folder(folder); !made) return made.failure();
  ResultStore store;
  store.path_ = folder + "/" + header.identity.substr(0, 8) + "-" + std::to_string(shard.rank + 1) +
                "-of-" + std::to_string(shard.size) + ".jsonl";
  store.file_ = ::open(store.path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (store.file_ < 0) return Error{"cannot write results to " + store.path_ + ": " + reason()};
  if (::flock(store.file_, LOCK_EX | LOCK_NB) != 0)
    return Error{"another process runs this sweep and writes to " + store.path_};
  int64_t kept = 0;
  for (const std::string& path : files_of(folder)) {
    auto file = read_file(path);
    if (!file) continue;
    if (file->header.program != program_version) {
      notes.push_back(of_another_version(path, *file));
      continue;
    }
    if (path == store.path_) kept = file->whole_bytes;
    for (auto& [key, result] : file->results) {
      if (path == store.path_) store.own_.insert(key);
      store.results_.insert_or_assign(key, std::move(result));
    }
  }
  struct stat state {};
  const bool is_whole = ::fstat(store.file_, &state) == 0 && state.st_size == kept;
  if ((!is_whole && ::ftruncate(store.file_, kept) != 0) ||
      (kept == 0 &&
       !write_all(store.file_,
                  json_of(header).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n")))
    return Error{"cannot write results to " + store.path_ + ": " + reason()};
  return store;
}

ResultStore::ResultStore(ResultStore&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      results_(std::move(other.results_)),
      own_(std::move(other.own_)) {}

ResultStore::~ResultStore() {
  if (file_ >= 0) ::close(file_);
}

Result<std::optional<DesignResult>> ResultStore::find(const std::string& key,
                                                      const sim::Design& design) {
  const auto found = results_.find(key);
  if (found == results_.end()) return std::optional<DesignResult>();
  DesignResult result = found->second;
  result.design = design;
  if (!own_.contains(key))
    if (const Status added = add(result, key); !added) return added.failure();
  return std::optional(std::move(result));
}

Status ResultStore::add(const DesignResult& result, const std::string& key) {
  if (!write_all(file_, line_of(result, key) + "\n"))
    return Error{"cannot write results to " + path_ + ": " + reason() +
                 "; what was written stays, and the same command goes on from there"};
  own_.insert(key);
  return success();
}

Result<SweepHeader> merge_results(const std::string& folder, std::vector<std::string>& notes) {
  std::optional<SweepHeader> merged;
  std::set<sim::Design> known;
  for (const std::string& path : files_of(folder)) {
    auto file = read_file(path);
    if (!file) continue;
    if (file->header.program != program_version) {
      notes.push_back(of_another_version(path, *file));
      continue;
    }
    if (!merged) merged = file->header;
    if (!(*merged == file->header))
      return bad_input("the folder " + folder +
                       " holds the results of several sweeps; give each a folder of its own");
    for (auto& [key, result] : file->results)
      if (known.insert(result.design).second) merged->table.results.push_back(std::move(result));
  }
  if (!merged) return bad_input("the folder " + folder + " holds no results of a sweep");
  std::ranges::sort(merged->table.results, {}, &DesignResult::design);
  return std::move(*merged);
}

}  // namespace shingle
