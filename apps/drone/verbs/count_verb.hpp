// The verb `count`: counts at the lines and zones of a site, from a run folder, without inference.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shingle::drone {

struct CountVerbOptions {
  std::string run, site, csv;
  bool json = false;
};
void describe(CLI::App& verb, CountVerbOptions& options);
int run_verb(const CountVerbOptions& options);

}  // namespace shingle::drone
