#include "devices/weights/torn_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace shingle {

// Written by whoever maps, read by the handler on any thread: `begin` is written last and cleared
// first.
struct TornPages::Slot {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> torn{false}, taken{false};
};

namespace {

constexpr size_t most_ranges = 4096;  // files of packed weights are the most, one for each layer
std::array<TornPages::Slot, most_ranges> slots;
std::atomic<size_t> slots_used{0};  // none behind it was ever taken
std::atomic<bool> left_alone{false};
struct sigaction before {};
uintptr_t page_bytes = 4096;

bool put_zeros(uintptr_t from, uintptr_t end) {
  // No memory is taken: the pages are never written to.
  return ::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

bool mend(uintptr_t at) {
  const size_t used = slots_used.load();
  for (size_t i = 0; i < used; ++i) {
    TornPages::Slot& slot = slots[i];
    const uintptr_t begin = slot.begin.load(), end = slot.end.load();
    if (begin == 0 || at < begin || at >= end) continue;
    slot.torn.store(true);
    return put_zeros(at / page_bytes * page_bytes, end);
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool mended = mend(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error;
  if (mended) return;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  ::sigaction(SIGBUS, &before, nullptr);
  ::raise(signal);  // ends the process as this one returns
}

void listen_for_bus_errors() {
  page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction wanted {};
  wanted.sa_sigaction = on_bus_error;
  wanted.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &wanted, &before);
}

uintptr_t address(const std::byte* at) { return reinterpret_cast<uintptr_t>(at); }

}  // namespace

void leave_bus_errors_alone() { left_alone = true; }

bool bus_errors_are_left_alone() { return left_alone; }

TornPages::TornPages(std::span<const std::byte> mapped) {
  static std::once_flag once;
  std::call_once(once, listen_for_bus_errors);
  for (size_t i = 0; i < slots.size() && slot_ == nullptr; ++i)
    if (!slots[i].taken.exchange(true)) {
      slot_ = &slots[i];
      for (size_t used = slots_used; used <= i && !slots_used.compare_exchange_weak(used, i + 1);) {
      }
    }
  if (slot_ == nullptr) return;
  slot_->torn.store(false);
  const uintptr_t end = address(mapped.data()) + mapped.size();
  slot_->end.store((end + page_bytes - 1) / page_bytes * page_bytes);
  slot_->begin.store(address(mapped.data()));
}

TornPages::~TornPages() {
  if (slot_ == nullptr) return;
  slot_->begin.store(0);
  slot_->taken.store(false);
}

bool TornPages::torn() const { return slot_ != nullptr && slot_->torn.load(); }

}  // namespace shingle
