// The files of a run that has not begun yet: unless something was written into them they are
// removed, and the folder too if it was made for them. So a run that fails before its first
// picture leaves nothing, and can be started again with the same folder.
#pragma once

#include <string>
#include <vector>

namespace shingle::drone {

class UnusedFolder {
 public:
  // `files`: names in the folder. `is_new`: the folder was made for them.
  UnusedFolder(std::string folder, std::vector<std::string> files, bool is_new)
      : folder_(std::move(folder)), files_(std::move(files)), is_new_(is_new) {}
  UnusedFolder(const UnusedFolder&) = delete;
  UnusedFolder& operator=(const UnusedFolder&) = delete;
  ~UnusedFolder();

  void keep() { files_.clear(), is_new_ = false; }

 private:
  std::string folder_;
  std::vector<std::string> files_;
  bool is_new_;
};

}  // namespace shingle::drone
