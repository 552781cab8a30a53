// Random messages of every kind, and whether two are the same field by field. The structured
// bindings count the fields: a field added to a message does not compile until it is compared here.
#pragma once

#include <string>

#include "runtime/protocol/message.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::testing {

Message random_message(networks::Random& random, size_t kind);  // index into Message
Envelope random_envelope(networks::Random& random);

bool same(const Envelope& a, const Envelope& b);
bool same(const Message& a, const Message& b);

}  // namespace shingle::testing
