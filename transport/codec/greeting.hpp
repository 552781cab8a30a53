// What a greeting must say for a connection to stand. Pure: greetings in, sentences out.
#pragma once

#include <string>

#include "transport/codec/codec.hpp"

namespace shingle {

// An error if the process that sent `mine` must not be connected with the one that sent `theirs`.
// The sentence is fit for both sides' logs; it begins with a small letter and has no full stop.
// REQUIRES: `mine` lists its own node among its members.
Status check_greeting(const Greeting& mine, const Greeting& theirs);

std::string title(NodeId id, const std::string& name);  // "node 3 (kitchen)"

}  // namespace shingle
