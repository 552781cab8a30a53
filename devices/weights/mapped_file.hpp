// MappedFile: a memory-mapped file that notices when somebody changes it.
//
// Any process may overwrite or truncate the file in place at any moment, and that changes the
// mapped bytes. So a result that was computed from them is valid only if version() returns the same
// number before and after:
//
//   before = version()      read, pack, compute ...      version() == before ? valid : not valid
//
// The kernel records the time of a change before the bytes change. So version() needs one fstat: it
// compares the file's identity. If the identity has changed (a new name, a new owner, a change that
// was undone), the bytes are checked by the function of know_again(). If they are the same, the
// file gets a new version; if not, the file is lost for good. Pages that a truncated file no longer
// has read as zeros (torn_pages.hpp), and the file is lost.
//
// Copies share one mapping, which ends with the last copy; spans of its bytes must not outlive it.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "partition/base/result.hpp"
#include "partition/base/time.hpp"

namespace shingle {

// Which file was mapped, and in which state. All zero for memory without a file.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t bytes = 0;
  Duration modified{}, changed{};  // since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class MappedFile {
 public:
  // Maps a regular file read-only. The error names the file and the system's reason. If the file
  // has just changed, another change could get the same time stamp; then open() waits first: a few
  // milliseconds, or 2 s on file systems that store whole seconds.
  static Result<MappedFile> open(const std::string& path);
  // The same for a file that is open for reading and stays open. `path`: its name in errors.
  static Result<MappedFile> of(int descriptor, const std::string& path);

  // Memory of this size that holds the given parts and is zero elsewhere: a file of which only
  // parts are known.
  static Result<MappedFile> sparse(
      size_t bytes, std::span<const std::pair<size_t, std::span<const std::byte>>> parts);

  // A copy of a small file.
  static Result<std::string> text_of(const std::string& path);

  // The mapped file that holds this byte; none if no file of open() holds it.
  static std::optional<MappedFile> around(const std::byte* at);

  std::span<const std::byte> bytes() const;
  bool holds(const std::byte* at) const {
    return at >= bytes().data() && at < bytes().data() + bytes().size();
  }
  const FileIdentity& identity() const;  // as of open()
  const std::string& path() const;       // what sentences name; empty for memory that is no file's

  // Sets the function that says whether bytes are still those of open(). Without it every change
  // loses the file. REQUIRES: nobody else has a copy yet.
  void know_again(std::function<bool(std::span<const std::byte>)> is_as_before) const;
  // The error names the file, says that it was changed in place, and what to do.
  Result<uint64_t> version() const;

  // Frees the memory of some bytes of a mapped file. Reading them loads them again.
  static void release_pages(std::span<const std::byte> bytes);

 private:
  struct Mapping;
  class Files;
  static Result<MappedFile> take(int descriptor, const std::string& path);  // owns the descriptor
  explicit MappedFile(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  std::shared_ptr<Mapping> mapping_;
};

}  // namespace shingle
