#include "apps/run/workplace.hpp"

#include <charconv>

#include "apps/cli/common_options.hpp"
#include "apps/cli/program_log.hpp"
#include "apps/run/further_model.hpp"
#include "apps/system/exit.hpp"

namespace shingle {
namespace {

Result<std::vector<double>> slow_factors(const RunOptions& options) {
  std::vector<double> factors(options.workers, 1.0);
  for (const std::string& text : options.slow_workers) {
    uint32_t worker = 0;
    double factor = 0.0;
    const char* end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, worker);
    const bool colon = number.ec == std::errc() && number.ptr != end && *number.ptr == ':';
    const auto rest = colon ? std::from_chars(number.ptr + 1, end, factor) : number;
    if (!colon || rest.ec != std::errc() || rest.ptr != end || worker >= options.workers ||
        !(factor >= 1.0 && factor <= 1000.0))
      return Error{"'" + text + "' is not WORKER:FACTOR, such as 0:4 (workers 0 to " +
                   std::to_string(options.workers - 1) + ", factors from 1 to 1000)"};
    factors[worker] = factor;
  }
  return factors;
}

Result<std::vector<ModelPath>> model_paths(const RunOptions& options) {
  const auto further = read_further_models(options.further_models);
  if (!further) return further.failure();
  std::vector<ModelPath> paths{options.model.where()};
  for (const FurtherModel& model : *further) paths.emplace_back(model.path);
  return paths;
}

Result<LocalWorkersOptions> workers_of(const RunOptions& options) {
  const auto slow = slow_factors(options);
  if (!slow) return usage_error(slow.error());
  const auto models = model_paths(options);
  if (!models) return models.failure();
  return LocalWorkersOptions{.count = options.workers,
                             .threads = options.threads,
                             .models = *models,
                             .max_constants = options.model.max_constants,
                             .slow = *slow,
                             .executor = options.executor,
                             .packed = options.packed,
                             .memory = options.memory};
}

}  // namespace

Result<Workplace> workplace_of(const RunOptions& options, StopSignals& signals) {
  WorkplaceOptions place{
      .cluster = options.cluster,
      .broker = options.broker,
      .id = options.id,
      .admission = options.admission,
      .patience = patience_of(options.patience_seconds),
      .computes = options.compute,
      .is_unwanted = [&](std::chrono::milliseconds wait) { return signals.asked(wait); },
      .note = [](const std::string& sentence) { note(sentence); },
      .log = program_log()};
  if (!options.memory.empty()) {
    const auto bytes = memory_cap(options.memory);
    if (!bytes) return usage_error(bytes.error());
    place.memory_bytes = *bytes;
  }
  if (options.cluster.empty() && options.broker.uri.empty()) {
    auto workers = workers_of(options);
    if (!workers) return workers.failure();
    place.workers = std::move(*workers);
  }
  return open_workplace(place);
}

}  // namespace shingle
