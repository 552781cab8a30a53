#include <cassert>

#include "devices/plain/plain_operators.hpp"

namespace shingle {

void run_operator(const PlainCall&, const Recurrence&) { assert(false); }

}  // namespace shingle
