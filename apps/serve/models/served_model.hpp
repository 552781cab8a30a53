// The models of the command line: NAME=FILE, or FILE, whose name is that of the file without its
// ending. Pure.
#pragma once

#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::serve {

struct ServedModel {
  std::string name, path;

  // Frigate asks for a model by the name of its file.
  bool is_called(const std::string& asked) const;
  friend bool operator==(const ServedModel&, const ServedModel&) = default;
};

// The sentence says what is wrong with which of the texts, or which name is there twice.
Result<std::vector<ServedModel>> read_served_models(const std::vector<std::string>& texts);

}  // namespace shingle::serve
