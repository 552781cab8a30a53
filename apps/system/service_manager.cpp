#include "apps/system/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <utility>

namespace shingle {
namespace {

void tell(const std::string& lines) { sd_notify(0, lines.c_str()); }  // 0: $NOTIFY_SOCKET stays

}  // namespace

void ServiceManager::ready(const std::string& status) {
  std::string line = status;
  std::replace(line.begin(), line.end(), '\n', ' ');
  tell("READY=1\nSTATUS=" + line);
}

void ServiceManager::alive(uint64_t turns) {
  if (std::exchange(turns_, turns) != turns) tell("WATCHDOG=1");
}

void ServiceManager::reloading() { tell("RELOADING=1"); }
void ServiceManager::stopping() { tell("STOPPING=1"); }

std::optional<std::chrono::microseconds> ServiceManager::patience() const {
  uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return std::chrono::microseconds(microseconds);
}

}  // namespace shingle
