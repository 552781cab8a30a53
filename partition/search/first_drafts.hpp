// First drafts: for each family of layouts the cheapest cuts of the network into blocks, by a cost
// that adds up block by block. Good enough to start a search from: a sum cannot see how blocks
// overlap.
#pragma once

#include "partition/search/candidates.hpp"
#include "partition/search/draft.hpp"

namespace shingle {

// `present`: by node, which of them take part.
Draft first_draft(Workshop& workshop, const Borders& borders, const Layout& family,
                  const std::vector<bool>& present);

// The draft, but layers whose weights are larger than the map that they put out are dealt across
// channels: each node then holds a part of the weights.
Draft with_weights_dealt(Workshop& workshop, const Draft& draft);

// One stage for each node, one after the other, about equally long.
Draft pipeline_draft(Workshop& workshop);

Draft single_draft(const Workshop& workshop, size_t node);

// Small maps are dealt in stairs, larger ones by whole rows.
bool wants_stairs(const Workshop& workshop, const Layout& layout, size_t begin, size_t end);

}  // namespace shingle
