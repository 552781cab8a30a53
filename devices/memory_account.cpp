#include "devices/memory_account.hpp"

#include <new>

namespace shingle {

void MemoryAccount::add(int64_t bytes) {
  const int64_t now = held_ += bytes;
  int64_t seen = peak_;
  while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
  }
}

void AlignedBuffer::reserve(int64_t bytes) {
  if (bytes <= bytes_) return;
  release();
  data_ = static_cast<std::byte*>(
      ::operator new (static_cast<size_t>(bytes), std::align_val_t{buffer_alignment}));
  bytes_ = bytes;
  account_->add(bytes_);
}

void AlignedBuffer::release() {
  if (data_ == nullptr) return;
  ::operator delete (data_, std::align_val_t{buffer_alignment});
  account_->remove(bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace shingle
