#include "apps/drone/verbs/eval_pairs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>

#include "apps/drone/verbs/input_file.hpp"
#include "apps/system/exit.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

namespace fs = std::filesystem;

struct TruthFile {
  std::string name, path;
};

std::vector<TruthFile> truths_in(const std::string& folder) {
  std::vector<TruthFile> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path path = entry.path();
    if (entry.is_directory(error) && fs::exists(path / "gt" / "gt.txt", error))
      found.push_back({path.filename().string(), (path / "gt" / "gt.txt").string()});
    else if (entry.is_regular_file(error) && path.extension() == ".txt")
      found.push_back({path.stem().string(), path.string()});
  }
  std::sort(found.begin(), found.end(),
            [](const TruthFile& a, const TruthFile& b) { return a.name < b.name; });
  return found;
}

void tell_of_strangers(const std::string& folder, const std::set<std::string>& names) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path path = entry.path();
    if (path.extension() == ".txt" && !names.contains(path.stem().string()))
      note(in_quotes(path.string()) + " has no ground truth and is left out");
  }
}

Result<std::vector<EvalPair>> pairs_in(const std::string& truth, const std::string& result,
                                       const std::string& ignored) {
  std::error_code error;
  std::vector<EvalPair> pairs;
  std::set<std::string> names;
  for (const TruthFile& each : truths_in(truth)) {
    EvalPair pair{
        .name = each.name, .truth = each.path, .result = result + "/" + each.name + ".txt"};
    if (!fs::exists(pair.result, error))
      return bad_input("there is no " + in_quotes(pair.result) + " for the ground truth " +
                       in_quotes(pair.truth) + "; a sequence without tracks needs an empty file");
    pair.ignored = ignored;
    if (fs::is_directory(ignored, error)) {
      pair.ignored = ignored + "/" + each.name + ".txt";
      if (!fs::exists(pair.ignored, error)) pair.ignored.clear();
    }
    names.insert(each.name);
    pairs.push_back(pair);
  }
  if (pairs.empty())
    return bad_input("the folder " + in_quotes(truth) +
                     " has no ground truth: neither NAME.txt nor NAME/gt/gt.txt");
  tell_of_strangers(result, names);
  return pairs;
}

}  // namespace

Result<std::vector<EvalPair>> eval_pairs(const std::string& truth, const std::string& result,
                                         const std::string& ignored) {
  std::error_code error;
  const bool truth_is_folder = fs::is_directory(truth, error);
  if (truth_is_folder != fs::is_directory(result, error))
    return bad_input(in_quotes(truth_is_folder ? truth : result) + " is a folder and " +
                     in_quotes(truth_is_folder ? result : truth) +
                     " is not; give two files or two folders");
  if (truth_is_folder) return pairs_in(truth, result, ignored);
  if (fs::is_directory(ignored, error))
    return bad_input(in_quotes(ignored) + " is a folder; give the file of this sequence's regions");
  return std::vector<EvalPair>{{fs::path(result).stem().string(), truth, result, ignored}};
}

Result<std::optional<uint32_t>> length_beside(const std::string& truth) {
  std::error_code error;
  const fs::path folder = fs::absolute(truth, error).parent_path();
  fs::path file = folder / "seqinfo.ini";
  if (!fs::exists(file, error) && folder.filename() == "gt")
    file = folder.parent_path() / "seqinfo.ini";
  if (!fs::exists(file, error)) return std::optional<uint32_t>{};
  const auto text = read_text(file.string());
  if (!text) return text.failure();
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](char letter) { return letter == ' ' || letter == '\r'; });
    const std::string key = "seqLength=";
    if (!line.starts_with(key)) continue;
    uint32_t length = 0;
    const auto [end, wrong] =
        std::from_chars(line.data() + key.size(), line.data() + line.size(), length);
    if (wrong == std::errc() && end == line.data() + line.size() && length > 0 &&
        length <= last_frame)
      return std::optional<uint32_t>(length);
  }
  return bad_input(in_quotes(file.string()) +
                   " has no line 'seqLength=N' with the number of frames; give --frames");
}

}  // namespace shingle::drone
