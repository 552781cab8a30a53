#include "tests/devices/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

std::atomic<int64_t> made{0}, alive{0};
constexpr int64_t endless = std::numeric_limits<int64_t>::max();
thread_local int64_t left = endless;

void* counted(void* memory) {
  if (memory != nullptr) ++alive;
  return memory;
}

bool may_allocate() {
  ++made;
  if (left == endless) return true;
  if (left <= 0) return false;
  --left;
  return true;
}

void* allocate(size_t bytes) noexcept {
  return may_allocate() ? counted(std::malloc(bytes)) : nullptr;
}

void* allocate(size_t bytes, std::align_val_t alignment) noexcept {
  const auto step = static_cast<size_t>(alignment);
  return may_allocate() ? counted(std::aligned_alloc(step, (bytes + step - 1) / step * step))
                        : nullptr;
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_back(void* memory) noexcept {
  if (memory != nullptr) --alive;
  std::free(memory);
}

}  // namespace

// The whole test program's, so that nothing escapes the count.
void* operator new(size_t bytes) { return or_throw(allocate(bytes)); }
void* operator new[](size_t bytes) { return or_throw(allocate(bytes)); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignment);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return or_throw(allocate(bytes, alignment));
}
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t) noexcept { give_back(memory); }

namespace shingle::tests {

int64_t allocations() { return made; }
int64_t blocks_alive() { return alive; }

ShortMemory::ShortMemory(int64_t good) { left = good; }
ShortMemory::~ShortMemory() { left = endless; }

}  // namespace shingle::tests
