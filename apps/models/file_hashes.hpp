// FileHashes: what the bytes of files hash to, remembered for the next start, so that a model of
// 200 MB is not read through only to be named.
//
//   FILE   "shingle file hashes 1", then a line for each: HASH DEVICE INODE BYTES MODIFIED CHANGED
//
// A file is the same while its place, its length, and the times of its last modification and of its
// last change of any kind are; programs can set the first of these times back but not the second.
// What changed within the last two seconds, of any kind, is hashed and not remembered: clocks of
// file systems are coarse, so it could change once more and show the same times. What a disk
// garbles unasked is not seen here; packed weights have sums of their own.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "devices/weights/mapped_file.hpp"
#include "partition/base/hash.hpp"

namespace shingle {

class FileHashes {
 public:
  // `path`: where they are kept, in a folder of this user's own that is made when needed; empty:
  // they are remembered by this object alone.
  explicit FileHashes(std::string path = {},
                      std::chrono::nanoseconds settled = std::chrono::seconds(2));

  Hash of(const MappedFile& file);

 private:
  struct Entry {
    Hash hash;
    FileIdentity file;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  void remember(const Entry& entry);
  std::vector<Entry> read() const;

  std::string path_;
  std::chrono::nanoseconds settled_;
  std::vector<Entry> entries_;  // ascending by when they came
};

// FileHashes::of, after which the file is known again by its hash.
Hash known_as(const MappedFile& file, FileHashes& hashes);

// What was read of a model's file, and its hash, count if nobody was at the file meanwhile.
Status was_steady(const MappedFile& file);

// Beside the packed weights; an empty folder: nowhere.
std::string hashes_file(const std::string& packed_folder);

}  // namespace shingle
