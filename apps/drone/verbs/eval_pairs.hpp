// Which files are held against each other, and how long their videos are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct EvalPair {
  std::string name;           // the sequence's
  std::string truth, result;  // files
  std::string ignored{};      // empty: no file with regions
};

// Two files, or two folders. A truth folder has NAME.txt, or NAME/gt/gt.txt as MOTChallenge has it;
// the result folder has NAME.txt. `ignored` may be empty, a file, or a folder of NAME.txt. Each
// truth needs its result; results without a truth are named on stderr.
Result<std::vector<EvalPair>> eval_pairs(const std::string& truth, const std::string& result,
                                         const std::string& ignored);

// seqLength in the seqinfo.ini beside a truth file, or beside its folder gt. None: there is no such
// file. Refuses one that does not say it.
Result<std::optional<uint32_t>> length_beside(const std::string& truth);

}  // namespace shingle::drone
