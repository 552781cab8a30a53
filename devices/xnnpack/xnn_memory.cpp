#include "devices/xnnpack/xnn_memory.hpp"

#include <xnnpack.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace shingle {

namespace {

thread_local MemoryAccount* current_account = nullptr;

// Stands in front of every block and keeps the block's own alignment.
struct alignas(buffer_alignment) Header {
  MemoryAccount* account = nullptr;
  size_t bytes = 0;  // of the block, without this header
};

Header* header_of(void* pointer) { return static_cast<Header*>(pointer) - 1; }

void* allocate_aligned(void*, size_t alignment, size_t bytes) {
  if (alignment > buffer_alignment) return nullptr;
  void* memory =
      ::operator new (sizeof(Header) + bytes, std::align_val_t{buffer_alignment}, std::nothrow);
  if (memory == nullptr) return nullptr;
  Header* header = new (memory) Header{current_account, bytes};
  if (header->account != nullptr)
    header->account->add(static_cast<int64_t>(sizeof(Header) + bytes));
  return header + 1;
}

void* allocate(void* context, size_t bytes) {
  return allocate_aligned(context, buffer_alignment, bytes);
}

void deallocate(void*, void* pointer) {
  if (pointer == nullptr) return;
  Header* header = header_of(pointer);
  if (header->account != nullptr) {
    header->account->remove(static_cast<int64_t>(sizeof(Header) + header->bytes));
  }
  ::operator delete (static_cast<void*>(header), std::align_val_t{buffer_alignment});
}

// A block that is large enough stays: tiles of different sizes taking turns on one operator then
// allocate nothing.
void* reallocate(void* context, void* pointer, size_t bytes) {
  if (pointer == nullptr) return allocate(context, bytes);
  const size_t held = header_of(pointer)->bytes;
  if (bytes <= held) return pointer;
  void* larger = allocate(context, bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, pointer, std::min(held, bytes));
  deallocate(context, pointer);
  return larger;
}

}  // namespace

CountXnnpack::CountXnnpack(MemoryAccount& account) : previous_(current_account) {
  current_account = &account;
}
CountXnnpack::~CountXnnpack() { current_account = previous_; }

bool XnnWorkspace::reserve(size_t bytes, size_t alignment) {
  if (bytes <= bytes_ && alignment <= buffer_alignment) return true;
  memory_.reset(allocate_aligned(nullptr, alignment, bytes));
  bytes_ = memory_ ? bytes : 0;
  return memory_ != nullptr;
}

void XnnWorkspace::Free::operator()(void* memory) const { deallocate(nullptr, memory); }

Status initialise_xnnpack() {
  static constexpr xnn_allocator counting{.context = nullptr,
                                          .allocate = allocate,
                                          .reallocate = reallocate,
                                          .deallocate = deallocate,
                                          .aligned_allocate = allocate_aligned,
                                          .aligned_deallocate = deallocate};
  static const xnn_status outcome = xnn_initialize(&counting);
  if (outcome == xnn_status_success) return success();
  return Error{"XNNPACK cannot be initialised on this machine (status " + std::to_string(outcome) +
               "): its processor is too old or memory is short"};
}

}  // namespace shingle
