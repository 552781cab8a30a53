#include "apps/system/process_memory.hpp"

#include <link.h>
#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

namespace shingle {
namespace {

// A line of /proc/self/status: "VmRSS:     71864 kB". 0 where there is none.
int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (!line.starts_with(name)) continue;
    int64_t kibibytes = 0;
    std::istringstream(line.substr(name.size())) >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

// dl_iterate_phdr() begins with the program itself; returning 1 ends it there. This reads whole
// pages including the gaps between objects, which AddressSanitizer would report.
[[gnu::no_sanitize_address]] int read_code(dl_phdr_info* program, size_t, void*) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  for (size_t i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != PF_R) continue;
    const size_t begin = program->dlpi_addr + segment.p_vaddr;
    for (size_t at = begin / page * page; at < begin + segment.p_memsz; at += page)
      static_cast<void>(*reinterpret_cast<const volatile std::byte*>(at));
  }
  return 1;
}

}  // namespace

int64_t physical_memory() {
  return int64_t{::sysconf(_SC_PHYS_PAGES)} * int64_t{::sysconf(_SC_PAGESIZE)};
}

int64_t resident_bytes() { return status_bytes("VmRSS:"); }
int64_t most_resident_bytes() { return status_bytes("VmHWM:"); }

void forget_peak() {
  std::ofstream references("/proc/self/clear_refs");
  references << "5\n";  // resets the peak: proc(5)
}

// Pieces (at most 64 KiB) stay in malloc's heaps; most canvases and weights exceed `block_bytes`.
void keep_little() {
  constexpr int block_bytes = 256 << 10, free_at_end_bytes = 256 << 10, heaps = 2;
  mallopt(M_MMAP_THRESHOLD, block_bytes);
  mallopt(M_TRIM_THRESHOLD, free_at_end_bytes);
  mallopt(M_ARENA_MAX, heaps);
}

void read_own_code() { dl_iterate_phdr(read_code, nullptr); }

void return_free_memory() { malloc_trim(0); }

}  // namespace shingle
