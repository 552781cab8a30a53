// FileHashes: remembers the hashes of files for the next start, so that a model of 200 MB need not
// be read only to find its name.
//
//   FILE   "shingle file hashes 1", then a line for each: HASH DEVICE INODE BYTES MODIFIED CHANGED
//
// A file counts as unchanged while its device, inode, length, modification time (mtime) and change
// time (ctime) are the same; programs can set back the mtime but not the ctime. A file that changed
// within the last two seconds is hashed but not remembered: clocks of file systems are coarse, so
// it could change again and show the same times. Errors of the disk itself are not noticed here;
// packed weights have checksums of their own.
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
  // `path`: the file that keeps them. Its folder belongs to this user and is made when needed.
  // Empty: only this object remembers them.
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
  std::vector<Entry> entries_;  // oldest first
};

// FileHashes::of(); it also gives the file its hash, by which later reads are checked.
Hash known_as(const MappedFile& file, FileHashes& hashes);

// An error if somebody wrote to the model's file while it was read or hashed.
Status was_steady(const MappedFile& file);

// The file of hashes in the folder of packed weights; empty for an empty folder.
std::string hashes_file(const std::string& packed_folder);

}  // namespace shingle
