"""Where the shared data and the programs lie."""
import json
import os
import subprocess

from lab import site

PROGRAM = site.ROOT / "build/release/apps/shingle-drone"


def shared(folder):
    path = os.environ.get("SHINGLE_DATA", site.ROOT.parent / "shared/data")
    path = site.pathlib.Path(path) / folder
    if not path.exists():
        raise site.BenchError(f"{path} is not there; SHINGLE_DATA names the folder of shared data")
    return path


def drone(*words, timeout=600):
    """Runs the program; what it printed."""
    if not PROGRAM.exists():
        raise site.BenchError(f"{PROGRAM.name} is not built")
    try:
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise site.BenchError(f"shingle-drone {words[0]} was not done after {timeout} s") from error
    if done.returncode != 0:
        raise site.BenchError(f"shingle-drone {words[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def told_by(name, *words, timeout=900):
    """Runs a program of this folder: the lines of its table, and the JSON object of its last line."""
    path = site.ROOT / "build/release/bench/drone_parts" / name
    if not path.exists():
        raise site.BenchError(f"{path} is not built; tools/bench drone builds it")
    environment = {"SHINGLE_DATA": str(site.ROOT.parent / "shared/data"), **os.environ}
    try:
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, check=False, timeout=timeout, cwd=site.ROOT,
                              env=environment)
    except subprocess.TimeoutExpired as error:
        raise site.BenchError(f"{name} was not done after {timeout} s") from error
    if done.returncode != 0:
        raise site.BenchError(f"{name} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    *table, last = done.stdout.strip().splitlines()
    return table, json.loads(last)
