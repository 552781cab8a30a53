#include "apps/library/process_number.hpp"

#include <unistd.h>

#include <atomic>

namespace shingle {
namespace {

struct Process {
  pid_t id = 0;
  uint64_t number = 0;        // ascending from process to forked child
  uint64_t first_handle = 1;  // below it: of a parent
};

std::atomic<uint64_t> next_handle{1};
std::atomic<const Process*> known{nullptr};

// Compares ids instead of pthread_atfork(), which would run in every child of the program.
const Process& current() {
  const Process* process = known.load();
  const pid_t id = ::getpid();
  while (process == nullptr || process->id != id) {
    const bool is_first = process == nullptr;
    const auto* mine = new Process{.id = id,
                                   .number = is_first ? 1 : process->number + 1,
                                   .first_handle = is_first ? 1 : next_handle.load()};
    if (known.compare_exchange_strong(process, mine)) return *mine;  // kept: others may read it
    delete mine;
  }
  return *process;
}

}  // namespace

uint64_t process_number() { return current().number; }

uint64_t next_handle_number() {
  current();
  return next_handle++;
}

bool is_handle_of_parent(uint64_t number) { return number < current().first_handle; }

}  // namespace shingle
