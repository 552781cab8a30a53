#include <cassert>

#include "devices/plain/plain_operators.hpp"

namespace shingle {

void run_operator(const PlainCall&, const Order&) { assert(false); }
void run_operator(const PlainCall&, const Take&) { assert(false); }
void run_operator(const PlainCall&, const Scatter&) { assert(false); }
void run_operator(const PlainCall&, const Recurrence&) { assert(false); }

}  // namespace shingle
