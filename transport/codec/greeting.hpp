// What a greeting must say for a connection to stand. Pure: sentences in, sentences out.
#pragma once

#include <optional>
#include <string>

#include "transport/codec/codec.hpp"

namespace shingle {

// Why `mine` will have no connection with the process that sent `theirs`; none if it will. The
// sentence is fit for both sides' logs.
std::optional<std::string> objection(const Greeting& mine, const Greeting& theirs);

std::string title(NodeId id, const std::string& name);  // "node 3 (kitchen)"

}  // namespace shingle
