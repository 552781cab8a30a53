// What the tests of shingle.hpp need of the rooms, without their headers.
#pragma once

#include <memory>
#include <string>

namespace shingle::testing {

std::string node_of_build();

// A folder with the tiny model of session_fixture.hpp.
class CppFolder {
 public:
  CppFolder();
  ~CppFolder();
  std::string model() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace shingle::testing
