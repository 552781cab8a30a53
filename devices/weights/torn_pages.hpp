// TornPages: a mapped file that somebody truncates loses pages, and touching one is SIGBUS, which
// ends a process. While this lives, pages of its range that are touched and are not there read as
// zeros instead, and torn() says so: whoever read them throws away what he made of them.
//
//   reader   touches a page behind the file's new end
//   kernel   SIGBUS
//   handler  zeros from that page to the end of the range; torn() from now on
//   reader   reads on, ends, asks torn()
//
// A bad sector of a disk shows in the same way. The process's own handler for SIGBUS, if it has
// one, still gets whatever lies outside of all ranges.
#pragma once

#include <cstddef>
#include <span>

namespace shingle {

class TornPages {
 public:
  // The range begins and ends with pages, and stays mapped as long as this lives.
  explicit TornPages(std::span<const std::byte> mapped);
  ~TornPages();
  TornPages(const TornPages&) = delete;
  TornPages& operator=(const TornPages&) = delete;

  // False where there are too many ranges already: then the range is not guarded.
  bool guarded() const { return slot_ != nullptr; }
  bool torn() const;

  struct Slot;

 private:
  Slot* slot_ = nullptr;
};

}  // namespace shingle
