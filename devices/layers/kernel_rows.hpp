// Maps of a pass as the kernels see them (devices/kernels/rows.hpp).
#pragma once

#include <vector>

#include "devices/executor/rows.hpp"
#include "devices/kernels/rows.hpp"
#include "partition/model/operator.hpp"

namespace shingle {

// Pointers are put into `rows`, which must outlive the result; they point to channel held.c.begin.
kernels::InputRows rows_of(const InputMap& map, const Region& held,
                           std::vector<const float*>& rows);
kernels::OutputRows rows_of(const OutputMap& map, const Region& part, std::vector<float*>& rows);

// In place, row by row, while the strip is in the cache: channels `part` of the `channels` that are
// computed.
void activate_rows(const Activation& activation, const kernels::OutputRows& rows, int32_t channels,
                   Span part);

}  // namespace shingle
