"""Random clusters with random faults, one from each seed, one in fifty of them large: is every promise kept, and how fast are they
simulated?"""
import json
import subprocess

from lab import site

SIMTEST = site.ROOT / "build/release/tests/swarm/shingle-simtest"
SEEDS, FULL = 5000, 100_000
TOLD = ["large_seeds", "seeds_with_lasting_faults", "seeds_with_lies", "faults", "captured", "delivered", "dropped", "aborted", "orphaned",
        "on_plans_never_ready", "stolen", "blocks", "channel_tiles", "winograd_layers", "rotations", "replans"]
EIGHT = 100  # seeds of eight machines: how much faster than real time


def simtest(*words):
    """What it says as JSON. It ends with 1 when a seed failed, and then its other lines say how to replay that."""
    done = subprocess.run([SIMTEST, "--json", *map(str, words)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        raise site.BenchError(f"shingle-simtest {' '.join(map(str, words))} ended with {done.returncode}")
    return json.loads(done.stdout)


def measure(found, full):
    told = simtest("--seeds", FULL if full else SEEDS)
    found.put("seeds", told["seeds"])
    found.put("violations", told["violations"], ("most", 0), note="seeds that broke a promise")
    found.put("core_liveness_violations", told["core_liveness_violations"], ("most", 0),
              note="frames that somebody was left to compute, and that were given up or never ended")
    for key in TOLD:
        found.put(key, told[key])
    found.put("seeds_per_s", told["seeds_per_s"], ("least", 1000 / 180))
    eight = simtest("--seeds", EIGHT, "--machines", 8)
    found.put("realtime_8", eight["realtime"], ("least", 500), note=f"{EIGHT} seeds of 8 machines, pauses between frames and faults included")
