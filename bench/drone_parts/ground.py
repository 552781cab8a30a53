"""What apps/drone/ground reads off the recorded flight of geo-trax, and how often its intervals hold in 200 undrawn flights."""
import json
import os
import subprocess

from drone_parts import data
from lab import site

PROGRAM = site.ROOT / "build/release/bench/drone_parts/bench-drone-ground"


def figures(part, seed):
    if not PROGRAM.exists():
        raise site.BenchError(f"{PROGRAM} is not built; tools/bench drone builds it")
    folder = data.shared("geo-trax").parent
    ran = subprocess.run([PROGRAM, "--seed", str(seed), part], capture_output=True, text=True, timeout=600, check=False,
                         env={**os.environ, "SHINGLE_DATA": str(folder)})
    if ran.returncode != 0:
        raise site.BenchError(f"bench-drone-ground {part} ended with {ran.returncode}: {ran.stderr.strip()[:300]}")
    return json.loads(ran.stdout.strip().splitlines()[-1])


def run(options, say):
    flight, undrawn = figures("geotrax", options.seed), figures("cover", options.seed)
    say("  geo-trax: " + ", ".join(f"{key.removeprefix('geotrax_')} {value:g}" for key, value in flight.items()))
    say("  undrawn flights: " + ", ".join(f"{key} {value:g}" for key, value in undrawn.items()))
    flight.pop("published_cover_fast")
    return {**flight, "interval_cover": undrawn["interval_cover"]}
