// The programs' log: each note is one line on stderr, by spdlog.
#pragma once

#include "apps/system/log.hpp"

namespace shingle {

Log program_log();

}  // namespace shingle
