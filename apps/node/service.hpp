// A node as a service: it tells systemd how it is, and reads its settings again on SIGHUP.
#pragma once

#include <string>
#include <vector>

#include "apps/client/session.hpp"
#include "apps/models/model_store.hpp"
#include "apps/node/node_verb.hpp"
#include "apps/system/stop_signals.hpp"

namespace shingle {

// The files and folders of --models; without it the current folder.
std::vector<std::string> model_paths(const NodeOptions& options);
void take_log_level(const NodeOptions& options);  // for the whole program

struct Attended {
  const NodeOptions& options;
  Session& session;
  ModelStore& models;
  StopSignals& signals;
};
// Until a signal asks it to stop. Says that the node is ready, and that it is alive for as long as
// its driver's loop goes round: a service whose loop hangs is started anew.
void attend(const Attended& node);

}  // namespace shingle
