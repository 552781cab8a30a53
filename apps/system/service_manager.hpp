// ServiceManager: tells systemd how this process is (sd_notify(3), services of Type=notify).
// Without $NOTIFY_SOCKET, that is, outside a service, it does nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace shingle {

class ServiceManager {
 public:
  void ready(const std::string& status);  // READY=1; the text is shown by `systemctl status`
  void reloading();                       // RELOADING=1; ready() ends it
  void stopping();                        // STOPPING=1
  // Sends WATCHDOG=1 if the loop has gone round since the last call. `turns` counts its rounds.
  void alive(uint64_t turns);

  // The service is killed if alive() does not come within this time; none: nobody watches.
  std::optional<std::chrono::microseconds> patience() const;

 private:
  uint64_t turns_ = 0;
};

}  // namespace shingle
