#!/usr/bin/env python3
"""The tests tested: plants one bug at a time and counts the seeds that shingle-simtest takes to find it.

    tests/planted/run.py [--seeds 10000] [--seconds 60] [--json] [NAME...]

Each tests/planted/NAME.patch changes at most five lines of the real source. It is applied to a copy under build/planted, the
copy is built, and its shingle-simtest runs until a seed fails (or it crashes or hangs: found as well). What no seed can bring about,
or what every frame survives, is in tests/planted/by_tests: tests of the node and scenarios must find it. Exit code 1 if a bug was not
found, or if the copy without a bug fails."""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "planted"
PATCHES = ROOT / "tests" / "planted"
TESTS = {"runtime_tests": "runtime/node/*_test.cpp", "sim_tests": "sim/scenario_test.cpp"}
BATCH = 50  # seeds a run: a hang or a crash is told from the others by bisection


def refresh_copy():
    COPY.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
    files = set(filter(None, listed.decode().split("\0")))
    for name in sorted(files):
        source, target = ROOT / name, COPY / "source" / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue  # its time stays, so it is not built again
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for path in (COPY / "source").rglob("*.[ch]pp"):  # CMake builds every source that it finds
        name = path.relative_to(COPY / "source")
        if name.parts[0] != "build" and str(name) not in files:
            path.unlink()


def build(*targets):
    subprocess.run(["cmake", "--preset", "release", "-S", "."], cwd=COPY / "source", check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run(["cmake", "--build", "--preset", "release", "--target", *targets], cwd=COPY / "source",
                          capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(made.stdout[-2000:])


def fails(first, count, seconds):
    program = COPY / "source" / "build" / "release" / "tests" / "swarm" / "shingle-simtest"
    try:
        return subprocess.run([program, "--seeds", str(count), "--seed", str(first), "--json"], timeout=seconds,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def first_failing(seeds, seconds):
    for first in range(1, seeds + 1, BATCH):
        if fails(first, min(BATCH, seeds - first + 1), seconds):
            return next((seed for seed in range(first, first + BATCH) if fails(seed, 1, seconds)), None)
    return None


def failing_test(seconds):
    """The first of the files of tests that fails."""
    for program, files in TESTS.items():
        for file in sorted((ROOT / "tests").glob(files)):
            command = [COPY / "source" / "build" / "release" / "tests" / program, f"--source-file=*{file.name}"]
            try:
                done = subprocess.run(command, cwd=COPY / "source", timeout=seconds, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return file.stem
            if done.returncode != 0:
                return file.stem
    return None


def hunt(patch, options):
    apply = ["patch", "--strip=1", "--fuzz=0", "--silent", "--input", patch]
    subprocess.run(apply, cwd=COPY / "source", check=True)
    try:
        if patch.parent.name == "by_tests":
            build(*TESTS)
            return failing_test(options.seconds)
        build("shingle-simtest")
        return first_failing(options.seeds, options.seconds)
    finally:
        subprocess.run(apply + ["--reverse"], cwd=COPY / "source", check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10000)
    parser.add_argument("--seconds", type=int, default=60, help="for a batch of seeds; one that takes longer hangs")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    refresh_copy()
    build("shingle-simtest", *TESTS)
    if first_failing(2 * BATCH, options.seconds) is not None or failing_test(options.seconds) is not None:
        sys.exit("The source fails without any planted bug.")
    found = {}
    for patch in sorted([*PATCHES.glob("*.patch"), *PATCHES.glob("by_tests/*.patch")]):
        if options.names and patch.stem not in options.names:
            continue
        found[patch.stem] = hunt(patch, options)
        if not options.json:
            print(f"{patch.stem:40} {found[patch.stem] or 'not found'}", flush=True)
    finders = [finder for finder in found.values() if finder]
    seeds = [finder for finder in finders if isinstance(finder, int)]
    summary = {"planted": len(found), "planted_found": len(finders), "found_by_tests": len(finders) - len(seeds),
               "median_seeds_to_find": statistics.median(seeds or [0]), "seeds": found}
    print(json.dumps(summary) if options.json else f"{len(finders)} of {len(found)} found, {len(finders) - len(seeds)} by tests, "
          f"the others in {summary['median_seeds_to_find']} seeds (median)")
    sys.exit(0 if len(finders) == len(found) else 1)


main()
