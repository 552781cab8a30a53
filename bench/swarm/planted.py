"""Bugs planted in a copy of the real source, one at a time: how many seeds until shingle-simtest finds each? (tests/planted/run.py)"""
import json
import subprocess

from lab import site

SEEDS, FULL = 2000, 10_000  # tried of each
LEAST = 15


def measure(found, full):
    hunt = [site.ROOT / "tests/planted/run.py", "--json", "--seeds", str(FULL if full else SEEDS)]
    done = subprocess.run(hunt, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.startswith("{"):
        raise site.BenchError(f"tests/planted/run.py ended with {done.returncode}")
    told = json.loads(done.stdout)
    for name, seed in told["seeds"].items():
        print(f"  {name:40} {seed or 'not found'}")
    found.put("planted", told["planted"], ("least", LEAST))
    found.put("planted_found", told["planted_found"], ("least", told["planted"]))
    found.put("median_seeds_to_find", told["median_seeds_to_find"])
