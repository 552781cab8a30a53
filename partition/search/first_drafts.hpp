// First drafts: for each family of layouts the cheapest cuts of the network into blocks
// (cuts.hpp).
#pragma once

#include "partition/search/candidates.hpp"
#include "partition/search/cuts.hpp"

namespace shingle {

// The cheapest draft whose blocks are all dealt as `family`; if it is another one, also the
// cheapest draft whose blocks may each be dealt in any way (cuts.hpp). `present`: by node, whether
// it takes part.
std::vector<Draft> first_drafts(Workshop& workshop, const Borders& borders, const Layout& family,
                                const std::vector<bool>& present);

// The same draft, except that layers whose weights are larger than their output map are dealt
// across channels: each node then holds a part of the weights.
Draft with_weights_dealt(Workshop& workshop, const Draft& draft);

// One stage per node, one after the other, all about equally long.
Draft pipeline_draft(Workshop& workshop);

Draft single_draft(const Workshop& workshop, size_t node);

}  // namespace shingle
