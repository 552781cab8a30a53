"""Average precision on photographs that were not trained on, through slices at a scale that the program finds."""
import json
import os
import subprocess

from drone_parts import data
from lab import site

PROGRAM = site.ROOT / "build/release/bench/drone_parts/bench-drone-stills"


def run(_, say):
    if not PROGRAM.exists():
        raise site.BenchError(f"{PROGRAM} is not built; tools/bench drone builds it")
    folder = data.shared("aerial-cars").parent
    ran = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=900, check=False, cwd=site.ROOT,
                         env={**os.environ, "SHINGLE_DATA": str(folder)})
    if ran.returncode != 0:
        raise site.BenchError(f"bench-drone-stills ended with {ran.returncode}: {ran.stderr.strip()[:300]}")
    *table, last = ran.stdout.strip().splitlines()
    for line in table:
        say(line)
    return json.loads(last)
