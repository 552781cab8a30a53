// Do two findings of one picture say the same? What people would call the same answer: bits and
// scores may differ.
#pragma once

#include "apps/findings/finding.hpp"

namespace shingle {

// Boxes, with or without masks and poses: each has a partner of its class that overlaps it by half
// or more of their union; turned boxes by ProbIoU. Classification: the same best class. Class maps:
// 99 of 100 pixels agree. Text: the same letters. Features, maps of numbers, pictures: values are
// 1 % of their size apart (rms) at most. Outputs that nobody interpreted: always true.
bool same_answer(const Finding& a, const Finding& b);

// The answer of outputs that nobody interprets: the largest value of each stands at the same place,
// and values are 1 % of their size apart (rms) at most.
bool same_values(std::span<const std::vector<float>> a, std::span<const std::vector<float>> b);

}  // namespace shingle
