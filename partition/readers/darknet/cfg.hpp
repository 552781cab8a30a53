// A Darknet .cfg as sections of options (Darknet's parser.c, read_cfg):
//
//   [convolutional]        a section; the first is [net], every other one is a layer
//   filters=32             an option; spaces are ignored; the first option of a name counts
//   # or ; begin a comment
#pragma once

#include <string_view>
#include <vector>

#include "partition/readers/darknet.hpp"

namespace shingle::darknet {

struct CfgOption {
  std::string_view key, value;  // views of the cfg
};

struct CfgSection {
  std::string_view kind;  // without the brackets
  int32_t line = 0;       // from 1
  std::vector<CfgOption> options;
};

// All views refer to `text`.
Result<std::vector<CfgSection>> parse_cfg(std::string_view text, const DarknetLimits& limits);

// `text` without spaces, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace shingle::darknet
