#include "devices/executor/memory_account.hpp"

#include <sys/mman.h>

#include <new>

namespace shingle {

void MemoryAccount::add(int64_t bytes) {
  const int64_t now = held_ += bytes;
  int64_t seen = peak_;
  while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
  }
  if (whole_ != nullptr) whole_->add(bytes);
}

void MemoryAccount::remove(int64_t bytes) {
  held_ -= bytes;
  if (whole_ != nullptr) whole_->remove(bytes);
}

namespace {

// Kernels write to and read from dozens of places of a large buffer at a time, more than a TLB has
// entries for small pages.
constexpr int64_t huge_page = int64_t{2} << 20;

std::align_val_t alignment_of(int64_t bytes) {
  return std::align_val_t{bytes >= huge_page ? static_cast<size_t>(huge_page) : buffer_alignment};
}

}  // namespace

void AlignedBuffer::reserve(int64_t bytes) {
  if (bytes <= bytes_) return;
  release();
  const auto size = static_cast<size_t>(bytes);
  data_ = static_cast<std::byte*>(::operator new(size, alignment_of(bytes)));
  if (bytes >= huge_page) madvise(data_, size - size % huge_page, MADV_HUGEPAGE);
  bytes_ = bytes;
  account_->add(bytes_);
}

void AlignedBuffer::release() {
  if (data_ == nullptr) return;
  ::operator delete(data_, alignment_of(bytes_));
  account_->remove(bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace shingle
