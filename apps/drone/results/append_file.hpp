// A file that grows by whole lines and survives its writer: what was appended stays when the
// process is killed, what was synced stays when the machine is.
#pragma once

#include <string>
#include <string_view>

#include "partition/base/result.hpp"

namespace shingle::drone {

class AppendFile {
 public:
  // Makes the file, or empties it.
  static Result<AppendFile> make(const std::string& path);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  // Errors name the file and the system's reason ("No space left on device").
  Status append(std::string_view text);
  Status sync();  // waits until the disk has it

 private:
  AppendFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;  // -1: moved from
};

// Waits until the disk has the folder's list of files: without it a machine that loses its power
// may forget a file whose content it has.
Status sync_folder(const std::string& path);

}  // namespace shingle::drone
