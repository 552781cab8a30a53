// SharedLog: where the parts of a process that several sessions share put their notes: each of the
// sessions gets them. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "apps/system/log.hpp"

namespace shingle {

class SharedLog {
 public:
  class Reader;  // one session

  std::shared_ptr<Reader> add(Log log);
  // It gets no note once this returns. Waits for one that is on its way.
  void remove(const std::shared_ptr<Reader>& reader);

  void note(LogLevel level, const std::string& sentence);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Reader>> readers_;
};

}  // namespace shingle
