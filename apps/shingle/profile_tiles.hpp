// shingle profile --fit, --check, --retarget: what tables of measured tile times tell
// (docs/use/profiles.md).
#pragma once

#include "apps/shingle/verbs.hpp"

namespace shingle {

void describe_tiles(CLI::App& verb, TileProfileOptions& options);
// True if one of the three was asked for.
bool is_about_tiles(const TileProfileOptions& options);
// Returns the exit code.
int run_tiles(const ProfileOptions& options);

}  // namespace shingle
