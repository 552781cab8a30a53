#include "apps/node/service.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "apps/node/node_config.hpp"
#include "apps/system/service_manager.hpp"

namespace shingle {
namespace {

// Takes over what may change while the node runs.
void reload(const Attended& node) {
  const auto again = read_node_options(node.options.words, process_environment());
  if (!again) {
    spdlog::warn("the settings stay as they are: {}", again.error());
    return;
  }
  take_log_level(*again);
  node.models.look_in(model_paths(*again));
  spdlog::info("the settings were read again: log level and models");
}

}  // namespace

std::vector<std::string> model_paths(const NodeOptions& options) {
  return options.models.empty() ? std::vector<std::string>{"."} : options.models;
}

void take_log_level(const NodeOptions& options) {
  spdlog::set_level(spdlog::level::from_str(options.log_level));
}

void attend(const Attended& node) {
  ServiceManager manager;
  const std::string status = "node " + std::to_string(node.options.id) + " listens on port " +
                             std::to_string(node.session.transport().port());
  spdlog::info("{}", status);
  manager.ready(status);
  std::chrono::milliseconds pause = std::chrono::seconds(1);
  if (const auto patience = manager.patience())
    pause = std::min(pause, std::chrono::duration_cast<std::chrono::milliseconds>(*patience / 4));
  while (!node.signals.asked(pause)) {
    if (node.signals.reload_asked()) {
      manager.reloading();
      reload(node);
      manager.ready(status);
    }
    manager.alive(node.session.driver().turns());
    node.session.look_at_addresses();
  }
  manager.stopping();
}

}  // namespace shingle
