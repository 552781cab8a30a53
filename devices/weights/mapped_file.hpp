// MappedFile: a file's bytes as the kernel pages them in, for readers whom nobody may deceive.
//
// Whoever overwrites or truncates the file in place changes what is read, at any moment. So nothing
// counts that was made of the bytes before version() has said the same number again:
//
//   before = version()      read, pack, compute ...      version() == before ? it counts : it does
//                                                                               not
//
// The kernel notes the time of each change before the bytes change, so a version is the file's
// identity, and one fstat a question. Where the identity is another (a new name, a new owner, a
// change that was taken back), the bytes are held against what is known of them: the same, and
// there is a new version; others, and the file is lost, for good. Pages that a truncated file has
// no more read as zeros (devices/torn_pages), and the file is lost.
//
// Copies are of one mapping, which ends with the last of them: whatever looks into the bytes must
// not outlive it. Any thread.
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

// Which file was mapped, and as of when: all zero for memory that is no file's.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t bytes = 0;
  Duration modified{}, changed{};  // since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class MappedFile {
 public:
  // Maps a regular file read-only. The sentence names the file and the system's reason. Waits where
  // the file changed so short a time ago that one more change could bear the same time: a few
  // milliseconds, or 2 s on file systems that keep whole seconds.
  static Result<MappedFile> open(const std::string& path);
  // The same of a file that is open for reading, and stays so; `path` is what sentences name.
  static Result<MappedFile> of(int descriptor, const std::string& path);

  // Memory that reads as zeros wherever nothing is written: a file of which parts are known.
  static Result<MappedFile> sparse(
      size_t bytes, std::span<const std::pair<size_t, std::span<const std::byte>>> parts);

  // A small file, copied.
  static Result<std::string> text_of(const std::string& path);

  // The mapped file that holds this byte; none where no file of open() does.
  static std::optional<MappedFile> around(const std::byte* at);

  std::span<const std::byte> bytes() const;
  bool holds(const std::byte* at) const {
    return at >= bytes().data() && at < bytes().data() + bytes().size();
  }
  const FileIdentity& identity() const;  // as of open()
  const std::string& path() const;       // what sentences name; empty for memory that is no file's

  // What says whether bytes are still those of open(). Without it no change at all is forgiven.
  // Before anybody else has a copy.
  void know_again(std::function<bool(std::span<const std::byte>)> is_as_before) const;
  // The sentence names the file, says that it was changed in place, and what to do.
  Result<uint64_t> version() const;

  // Gives back the memory of some bytes of a mapped file; reading them brings them in again.
  static void release_pages(std::span<const std::byte> bytes);

 private:
  struct Mapping;
  class Files;
  static Result<MappedFile> take(int descriptor, const std::string& path);  // owns the descriptor
  explicit MappedFile(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  std::shared_ptr<Mapping> mapping_;
};

}  // namespace shingle
