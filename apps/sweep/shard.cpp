#include "apps/sweep/shard.hpp"

#include <charconv>
#include <utility>

namespace shingle {
namespace {

constexpr uint32_t most_shards = 1'000'000;

std::optional<uint32_t> number(const std::string& text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Shard> asked_for(const std::string& text) {
  const size_t slash = text.find('/');
  const Error wrong = usage_error("--shard " + text +
                                  " is not I/N; write 1/4 to 4/4 for the four parts of a sweep");
  if (slash == std::string::npos) return wrong;
  const auto place = number(text.substr(0, slash)), size = number(text.substr(slash + 1));
  if (!place || !size || *place < 1 || *place > *size || *size > most_shards) return wrong;
  return Shard{*place - 1, *size, "--shard"};
}

// None: the variables are not set. The error: they make no sense.
Result<std::optional<Shard>> read_pair(const Environment& environment, const char* rank_name,
                                       const char* size_name, const char* first_name = nullptr) {
  const char* rank_text = environment(rank_name);
  const char* size_text = environment(size_name);
  if (rank_text == nullptr || size_text == nullptr) return std::optional<Shard>();
  const char* first_text = first_name == nullptr ? "0" : environment(first_name);
  const auto rank = number(rank_text), size = number(size_text);
  const uint32_t first = number(first_text == nullptr ? "" : first_text).value_or(UINT32_MAX);
  if (!rank || !size || *rank < first || *rank - first >= *size)
    return usage_error(std::string("the environment has ") + rank_name + "=" + rank_text + " and " +
                       size_name + "=" + size_text +
                       ", which is no part of a whole; the ids of an array must follow each other "
                       "without gaps");
  return std::optional(Shard{*rank - first, *size, rank_name});
}

}  // namespace

Result<Shard> shard_of(const std::string& asked, const Environment& environment) {
  if (!asked.empty()) return asked_for(asked);
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   std::pair("PMI_RANK", "PMI_SIZE")}) {
    const auto found = read_pair(environment, rank, size);
    if (!found) return found.failure();
    if (*found) return **found;
  }
  const auto array = read_pair(environment, "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
                               "SLURM_ARRAY_TASK_MIN");
  if (!array) return array.failure();
  const auto process = read_pair(environment, "SLURM_PROCID", "SLURM_NTASKS");
  if (!process) return process.failure();
  if (!*array) return process->value_or(Shard{});
  Shard shard = **array;
  if (!*process) return shard;
  shard.rank = shard.rank * (*process)->size + (*process)->rank;
  shard.size *= (*process)->size;
  return shard;
}

}  // namespace shingle
