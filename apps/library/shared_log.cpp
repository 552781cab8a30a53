#include "apps/library/shared_log.hpp"

#include <utility>

namespace shingle {

// A lock for each, so that removing one does not wait for the log functions of others.
class SharedLog::Reader {
 public:
  explicit Reader(Log log) : log_(std::move(log)) {}

  void note(LogLevel level, const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    note_to(log_, level, sentence);
  }
  void end() {
    const std::lock_guard lock(mutex_);
    log_ = {};
  }

 private:
  std::mutex mutex_;
  Log log_;
};

std::shared_ptr<SharedLog::Reader> SharedLog::add(Log log) {
  const auto reader = std::make_shared<Reader>(std::move(log));
  const std::lock_guard lock(mutex_);
  readers_.push_back(reader);
  return reader;
}

void SharedLog::remove(const std::shared_ptr<Reader>& reader) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(readers_, reader);
  }
  reader->end();
}

void SharedLog::note(LogLevel level, const std::string& sentence) {
  std::unique_lock lock(mutex_);
  const auto readers = readers_;
  lock.unlock();
  for (const auto& reader : readers) reader->note(level, sentence);
}

}  // namespace shingle
