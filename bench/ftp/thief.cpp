#include "bench/ftp/program.hpp"

namespace shingle::ftp {

void Thief::run() {
  for (;;) {
    const Message who = ask(setup_.places.registry,
                            {.kind = Kind::registry, .device = setup_.device}, setup_.traffic);
    if (who.kind == Kind::over) return;
    if (who.flag == 0 || !steal()) std::this_thread::sleep_for(setup_.poll);
  }
}

bool Thief::steal() {
  const Message tile =
      ask(setup_.places.source, {.kind = Kind::steal, .device = setup_.device}, setup_.traffic);
  if (tile.kind == Kind::none) return false;
  if (tile.tile >= setup_.block.tiles.size()) throw WireError("the source lends an unknown tile");
  const bool reuses = tile.flag != 0;
  std::vector<Floats> strips;
  if (reuses) strips = worker_.fetch(tile.frame, tile.tile, all_sides);
  worker_.compute(tile.frame, tile.tile, reuses, tile.data, strips);
  return true;
}

}  // namespace shingle::ftp
