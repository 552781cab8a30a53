#include "devices/threads/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "partition/base/text.hpp"

namespace shingle {

namespace {

constexpr int most_cores = 1024;  // of a cpu_set_t
constexpr size_t longest_choice = 256;

std::optional<int64_t> number_in(const std::filesystem::path& path) {
  int64_t number = 0;
  std::ifstream file(path);
  if (file >> number) return number;
  return std::nullopt;
}

std::optional<int> core_number(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!all || number < 0 || number >= most_cores) return std::nullopt;
  return number;
}

// "0,2-3" is 0, 2, 3.
std::optional<std::vector<int>> listed(std::string_view text) {
  std::vector<int> numbers;
  if (text.size() > longest_choice) return std::nullopt;
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, end);
    const size_t dash = std::min(range.find('-'), range.size());
    const auto first = core_number(range.substr(0, dash));
    const auto last = dash == range.size() ? first : core_number(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

int64_t most_capable(const std::vector<Core>& cores) {
  int64_t most = 0;
  for (const Core& core : cores) most = std::max(most, core.capacity);
  return most;
}

}  // namespace

std::vector<Core> read_cores(const std::string& folder) {
  std::vector<Core> cores;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto number = name.starts_with("cpu") ? core_number(name.substr(3)) : std::nullopt;
    if (!number || number_in(entry.path() / "online") == 0) continue;
    auto capacity = number_in(entry.path() / "cpu_capacity");
    if (!capacity) capacity = number_in(entry.path() / "cpufreq" / "cpuinfo_max_freq");
    cores.push_back({*number, std::max<int64_t>(capacity.value_or(0), 0)});
  }
  std::sort(cores.begin(), cores.end(),
            [](const Core& a, const Core& b) { return a.number < b.number; });
  return cores;
}

bool is_core_choice(const std::string& choice) {
  return choice == "all" || choice == "big" || listed(choice);
}

Result<std::vector<int>> chosen_cores(const std::string& choice, const std::vector<Core>& cores) {
  std::vector<int> chosen;
  if (const auto wanted = listed(choice)) {
    for (const int number : *wanted)
      if (std::none_of(cores.begin(), cores.end(),
                       [&](const Core& core) { return core.number == number; }))
        return Error{"there is no core " + std::to_string(number) + " to run on, of " +
                     shingle::in_quotes(choice)};
    return *wanted;
  }
  const int64_t most = choice == "big" ? most_capable(cores) : 0;
  for (const Core& core : cores)
    if (core.capacity >= most - most / 4) chosen.push_back(core.number);
  if (chosen.empty()) return Error{"the system tells of no core to run on"};
  return chosen;
}

std::vector<Core> allowed(std::vector<Core> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  std::erase_if(cores, [&](const Core& core) {
    return CPU_ISSET(static_cast<size_t>(core.number), &set) == 0;
  });
  return cores;
}

Status run_on(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<size_t>(core), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    return Error{std::string("cannot choose the cores to run on: ") + std::strerror(errno)};
  return success();
}

}  // namespace shingle
