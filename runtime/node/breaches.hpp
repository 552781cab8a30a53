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
    if (!holds) [[unlikely]]
      add(sentence);
  }
  void require(bool holds, const FrameKey& key, const char* rest) {
    if (!holds) [[unlikely]]
      add("home frame " + std::to_string(key.owner.value) + ":" + std::to_string(key.frame) + " " +
          rest);
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  [[gnu::noinline]] void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  std::vector<std::string> sentences_;
};

}  // namespace shingle
