// The verb `eval`: tracks held against a ground truth.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace shingle::drone {

struct EvalVerbOptions {
  std::string truth, result, ignored;
  std::string benchmark = "none";
  uint32_t frames = 0;  // 0: not given
  bool json = false;
};
void describe(CLI::App& verb, EvalVerbOptions& options);
int run_verb(const EvalVerbOptions& options);

}  // namespace shingle::drone
