#include "tests/library/cpp_fixture.hpp"

#include "tests/library/session_fixture.hpp"

namespace shingle::testing {

std::string node_of_build() { return node_program(); }

struct CppFolder::Files {
  ScratchFolder folder;
  std::string model = tiny_model(folder);
};

CppFolder::CppFolder() : files_(std::make_unique<Files>()) {}
CppFolder::~CppFolder() = default;
std::string CppFolder::model() const { return files_->model; }

}  // namespace shingle::testing
