// From the library's codes to the exceptions of shingle/errors.py.
#pragma once

#include <string>

#include "shingle/shingle.h"

namespace shingle::python {

// Throws the exception of `code` with this sentence. Requires the GIL.
[[noreturn]] void throw_error(shingle_code code, const std::string& sentence);

// Nothing for SHINGLE_OK; otherwise throws the exception of `code` with the sentence of this
// thread's last call.
void check(shingle_code code);

// For arguments that this module looks at itself.
[[noreturn]] void throw_wrong_type(const std::string& sentence);

}  // namespace shingle::python
