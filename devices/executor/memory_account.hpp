// MemoryAccount: counts the bytes that an executor holds. AlignedBuffer: memory that is counted in
// an account.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace shingle {

// Thread-safe. Must outlive everything that is counted in it. `whole`: a second account that counts
// the same bytes too; it must outlive this one.
class MemoryAccount {
 public:
  explicit MemoryAccount(MemoryAccount* whole = nullptr) : whole_(whole) {}
  void add(int64_t bytes);
  void remove(int64_t bytes);
  int64_t held() const { return held_; }
  int64_t peak() const { return peak_; }  // the most ever held at once

 private:
  MemoryAccount* whole_;
  std::atomic<int64_t> held_{0}, peak_{0};
};

inline constexpr size_t buffer_alignment = 64;  // a cache line, and the widest vector

// Memory with 64-byte alignment, counted in the account. Contents are undefined.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(MemoryAccount& account) : account_(&account) {}
  ~AlignedBuffer() { release(); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  // Holds at least `bytes` afterwards. If it grows, its contents are lost.
  void reserve(int64_t bytes);
  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  void release();

  MemoryAccount* account_;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace shingle
