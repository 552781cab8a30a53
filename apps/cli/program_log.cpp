#include "apps/cli/program_log.hpp"

#include <spdlog/spdlog.h>

namespace shingle {

Log program_log() {
  return [](LogLevel level, const std::string& note) {
    spdlog::log(level == LogLevel::warning ? spdlog::level::warn : spdlog::level::info, "{}", note);
  };
}

}  // namespace shingle
