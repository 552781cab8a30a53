// --keys and --insecure: who may speak to this node.
#pragma once

#include "apps/members/admission.hpp"

namespace CLI {
class App;
}

namespace shingle {

void describe(CLI::App& verb, Admission& admission);

}  // namespace shingle
