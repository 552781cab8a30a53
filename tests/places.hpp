#pragma once

#include <string>

namespace shingle {

// Where this checkout and its programs lie, for tests and benches that open or start them.
// Functions, not macros: the objects of tests stay the same in every build (tests/CMakeLists.txt),
// and only the definitions differ.
std::string source_folder();    // of the checkout, without a slash at its end
std::string shingle_program();  // of this build
std::string drone_program();    // the same

}  // namespace shingle
