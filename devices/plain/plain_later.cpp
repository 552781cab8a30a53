#include <cassert>

#include "devices/plain/plain_operators.hpp"

namespace shingle {

void run_operator(const PlainCall&, const Order&) { assert(false); }
void run_operator(const PlainCall&, const Take&) { assert(false); }
void run_operator(const PlainCall&, const Scatter&) { assert(false); }
void run_operator(const PlainCall&, const Suppression&) { assert(false); }
void run_operator(const PlainCall&, const NonZero&) { assert(false); }

}  // namespace shingle
