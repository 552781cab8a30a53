// TornPages: protects the process from a mapped file that is truncated. Reading a page that the
// file no longer has raises SIGBUS, which ends a process. While a TornPages lives, such pages of
// its range read as zeros instead, and torn() returns true: results that were computed from them
// are not valid.
//
//   reader   touches a page behind the file's new end
//   kernel   SIGBUS
//   handler  zeros from that page to the end of the range; torn() from now on
//   reader   reads on, ends, asks torn()
//
// A bad sector of a disk has the same effect. The process's own handler for SIGBUS, if there is
// one, still gets all signals for addresses outside the ranges.
#pragma once

#include <cstddef>
#include <span>

namespace shingle {

// From now on MappedFile maps copies of files, which nobody can truncate, and SIGBUS is left to the
// program: for a library, whose process's signals are somebody else's. Any thread.
void leave_bus_errors_alone();
bool bus_errors_are_left_alone();

class TornPages {
 public:
  // REQUIRES: the range begins and ends at page borders, and stays mapped as long as this lives.
  explicit TornPages(std::span<const std::byte> mapped);
  ~TornPages();
  TornPages(const TornPages&) = delete;
  TornPages& operator=(const TornPages&) = delete;

  // False if there are too many ranges already; then this range is not protected.
  bool guarded() const { return slot_ != nullptr; }
  bool torn() const;

  struct Slot;

 private:
  Slot* slot_ = nullptr;
};

}  // namespace shingle
