"""The shared MISB clip: what its KLV says of the picture's centre, and the camera's motion by KLV and by pixels."""
import json
import subprocess

from drone_parts import data
from lab import site

PROGRAM = site.ROOT / "build/release/bench/drone_parts/bench-drone-misb"


def run(_, say):
    if not PROGRAM.exists():
        raise site.BenchError(f"{PROGRAM} is not built; tools/bench drone builds it")
    clip = data.shared("misb") / "sample-stream.ts"
    ran = subprocess.run([PROGRAM, clip], capture_output=True, text=True, timeout=300, check=False)
    if ran.returncode != 0:
        raise site.BenchError(f"bench-drone-misb ended with {ran.returncode}: {ran.stderr.strip()[:300]}")
    figures = json.loads(ran.stdout.strip().splitlines()[-1])
    say("  " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    return {key: figures[key] for key in ("misb_median_m", "misb_offset_frames", "misb_motion_px", "misb_motion_p95_px")}
