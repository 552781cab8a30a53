// The verb `export`: a run folder in formats of other programs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shingle::drone {

struct ExportVerbOptions {
  std::string run, format, out, site, lane, crs;
};
void describe(CLI::App& verb, ExportVerbOptions& options);
int run_verb(const ExportVerbOptions& options);

}  // namespace shingle::drone
