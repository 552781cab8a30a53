// shingle serve: models for other programs, until it is told to stop.
#include <spdlog/spdlog.h>

#include "apps/cli/program_log.hpp"
#include "apps/serve/server.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/service_manager.hpp"
#include "apps/system/stop_signals.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

struct Attended {
  const std::vector<std::string>& words;
  serve::Server& server;
  StopSignals& signals;
};

// Takes over what may change while it serves.
void reload(const Attended& with) {
  const auto again = read_serve_options(with.words, process_environment());
  const auto plan = again ? serve_plan(**again) : Result<ServePlan>(again.failure());
  const Status taken = plan ? with.server.reload(*plan) : Status(plan.failure());
  if (!taken) return spdlog::warn("the settings stay as they are: {}", taken.error());
  spdlog::set_level(spdlog::level::from_str(plan->log_level));
  spdlog::info("the settings were read again: log level, models and HTTP");
}

std::string status_of(const serve::Server& server) {
  std::string names;
  for (const std::string& name : server.models())
    names.append(names.empty() ? "" : ", ").append(name);
  return "serves " + (names.empty() ? std::string("models that peers send") : names) + " at " +
         server.places();
}

// Until a signal asks it to stop. systemd hears that it is alive for as long as its loop goes
// round.
void attend(const Attended& with) {
  ServiceManager manager;
  note(status_of(with.server));
  manager.ready(status_of(with.server));
  milliseconds pause = std::chrono::seconds(1);
  if (const auto patience = manager.patience())
    pause = std::min(pause, std::chrono::duration_cast<milliseconds>(*patience / 4));
  while (!with.signals.asked(pause)) {
    if (with.signals.reload_asked()) {
      manager.reloading();
      reload(with);
      manager.ready(status_of(with.server));
    }
    with.server.keep();
    manager.alive(with.server.turns());
  }
  manager.stopping();
}

}  // namespace

int run_verb(const ServeOptions& said) {
  StopSignals signals(StopSignals::Hangup::reloads);  // before any thread starts
  const auto options = read_serve_options(said.words, process_environment());
  if (!options) return fail(options.failure());
  const auto plan = serve_plan(**options);
  if (!plan) return fail(plan.failure());
  spdlog::set_level(spdlog::level::from_str(plan->log_level));
  auto server = serve::Server::start(*plan, program_log());
  if (!server) return fail(server.failure());
  attend({said.words, **server, signals});
  return static_cast<int>(Exit::ok);
}

}  // namespace shingle
