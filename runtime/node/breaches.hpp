// Breaches: one sentence for each rule that does not hold between steps. Nothing is built where all
// is well: this runs after every simulated step.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/protocol/message.hpp"

namespace shingle {

class Breaches {
 public:
  void require(bool holds, const char* sentence) {
    if (!holds) sentences_.emplace_back(sentence);
  }
  void require(bool holds, const FrameKey& key, const char* rest) {
    if (!holds)
      sentences_.push_back("home frame " + std::to_string(key.owner.value) + ":" +
                           std::to_string(key.frame) + " " + rest);
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  std::vector<std::string> sentences_;
};

}  // namespace shingle
