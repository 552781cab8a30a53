// The options of `shingle serve`, as values, and their description to the command line.
#pragma once

#include <string>
#include <vector>

#include "apps/serve/models/session.hpp"

namespace CLI {
class App;
}

namespace shingle {

struct ServeOptions {
  std::vector<std::string> models;      // "NAME=FILE" or "FILE"
  std::string http = "127.0.0.1:8000";  // or "none"
  std::vector<std::string> host_names;  // of Host, besides localhost and addresses
  std::string max_body = "64MiB";
  double http_seconds = 30.0;
  std::string frigate;  // endpoint; empty: none
  std::string frigate_floats = "unit", frigate_colour = "rgb";
  double answer_in_ms = 150.0;
  std::string accept_models;  // folder; empty: none are accepted
  bool expose = false;
  serve::OptionTexts session;  // of shingle_options_set()
  bool insecure = false, keep_plan = false;
  std::string config;  // settings file
  std::string log_level = "warning";
  std::vector<std::string> words;  // the command line itself, which SIGHUP reads again
};
// `options` must outlive the verb.
void describe(CLI::App& verb, ServeOptions& options);
int run_verb(const ServeOptions& options);

}  // namespace shingle
