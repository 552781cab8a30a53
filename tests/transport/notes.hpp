// Notes: the sentences that a transport wrote to its log, for tests.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "tests/transport/members.hpp"

namespace shingle::testing {

// Listens on any thread.
class Notes {
 public:
  std::function<void(const std::string&)> listener() {
    return [this](const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      text_ += sentence + "\n";
      changed_.notify_all();
    };
  }
  bool mention(const std::string& words) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, long_enough,
                             [&] { return text_.find(words) != std::string::npos; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

}  // namespace shingle::testing
