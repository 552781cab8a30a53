"""Is a log that is shifted by 7.3 s found within a frame, in drawn flights?"""
import json
import subprocess

from lab import site

PROGRAM = site.ROOT / "build/release/bench/drone_parts/bench-drone-sync"


def run(options, say):
    if not PROGRAM.exists():
        raise site.BenchError(f"{PROGRAM} is not built; tools/bench drone builds it")
    ran = subprocess.run([PROGRAM, "--seed", str(options.seed)], capture_output=True, text=True, timeout=600, check=True)
    figures = json.loads(ran.stdout.strip().splitlines()[-1])
    say("  " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    return {"sync_frames": figures["sync_frames"]}
