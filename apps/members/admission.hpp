// Who may speak to this node.
#pragma once

#include <string>

namespace shingle {

// Who may speak to this node: the members in a folder of keys, or anybody.
struct Admission {
  std::string keys;  // empty: the usual folder
  bool insecure = false;

  std::string folder() const;  // of keys; empty with `insecure`
};

}  // namespace shingle
