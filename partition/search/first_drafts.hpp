// First drafts: for each family of layouts the cheapest cuts of the network into blocks, with a
// cost that is a sum over blocks. They are good enough as the start of a search; a sum cannot
// account for blocks that overlap in time.
#pragma once

#include "partition/search/candidates.hpp"
#include "partition/search/draft.hpp"

namespace shingle {

// The cheapest draft whose blocks are dealt in the way of `family`; if it is another one, also the
// cheapest draft whose blocks may each be on the owner alone instead; as if what is before and
// behind such a block were dealt. `present`: by node, whether
// it takes part.
std::vector<Draft> first_drafts(Workshop& workshop, const Borders& borders, const Layout& family,
                                const std::vector<bool>& present);

// The same draft, except that layers whose weights are larger than their output map are dealt
// across channels: each node then holds a part of the weights.
Draft with_weights_dealt(Workshop& workshop, const Draft& draft);

// One stage per node, one after the other, all about equally long.
Draft pipeline_draft(Workshop& workshop);

Draft single_draft(const Workshop& workshop, size_t node);

// True if the maps are small enough that borders need stairs; larger maps are dealt by whole rows.
bool wants_stairs(const Workshop& workshop, const Layout& layout, size_t begin, size_t end);

}  // namespace shingle
