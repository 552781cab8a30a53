// A folder for one test's files, gone with the test.
#pragma once

#include <fstream>
#include <string>

#include "apps/system/temporary_folder.hpp"

namespace shingle {

class ScratchFolder {
 public:
  ScratchFolder() : folder_(std::move(TemporaryFolder::make().value())) {}
  std::string operator/(const std::string& name) const { return folder_.path() + "/" + name; }
  const std::string& path() const { return folder_.path(); }
  std::string with_text(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace shingle
