"""Is it as fast as before? Old and new programs take turns, so that a machine whose speed drifts drifts for both; each pair of
neighbours gives a ratio, and the median of the ratios counts."""
import json
import os
import statistics
import subprocess

from lab import site

from . import bits, trees

FRAMES = {"yolov2": 10, "yolox_nano": 60}  # some seconds of computing, several times what a start takes
SEEDS, FIRST_SEED = 400, 1
SWARM_TOTALS = ("faults", "captured", "delivered", "dropped", "aborted", "orphaned", "stolen")


def one_node(tree, model, side, count):
    """(CPU seconds of the program and its one worker, start included; median seconds of a frame behind the first)."""
    words = [tree.shingle, "run", model, site.pictures(side, count), "--head", "raw", "--workers", "1", "--threads", "1", "--open", "1", "--json"]
    log = bits.FOLDER / "one_node.jsonl"
    with open(log, "wb") as out, subprocess.Popen([str(word) for word in words], stdout=out, stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise site.BenchError(f"'{' '.join(map(str, words))}' ended with {process.returncode}")
    frames = [line["ms"] * 1e-3 for line in map(json.loads, log.read_text().splitlines()) if "ms" in line]
    return used.ru_utime + used.ru_stime, statistics.median(frames[1:])


def swarm(tree):
    words = [tree.simtest, "--json", "--seeds", str(SEEDS), "--seed", str(FIRST_SEED)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.startswith("{"):
        raise site.BenchError(f"'{tree.simtest}' ended with {done.returncode}")
    return json.loads(done.stdout)


def spread(ratios):
    return f"median of {len(ratios)} pairs, {min(ratios):.3f} to {max(ratios):.3f}"


def compare_one_node(found, old, new, pairs):
    for name, model, side in bits.models(old):
        if name not in FRAMES:
            continue
        count = FRAMES[name]
        cpu, latency = [], []
        for _ in range(pairs):
            before, after = one_node(old, model, side, count), one_node(new, model, side, count)
            cpu.append(after[0] / before[0])
            latency.append(after[1] / before[1])
        found.put(f"cpu_ratio_{name}", statistics.median(cpu), ("most", 1.02), note=f"CPU time of {count} frames, one worker, one thread; " + spread(cpu))
        found.put(f"one_node_ratio_{name}", statistics.median(latency), ("most", 1.02), note="a frame through the one-node cluster; " + spread(latency))


def compare_swarm(found, old, new, pairs):
    ratios = []
    for _ in range(pairs):
        before, after = swarm(old), swarm(new)
        ratios.append(after["seeds_per_s"] / before["seeds_per_s"])
    found.put("seeds_per_s_ratio", statistics.median(ratios), ("least", 0.95), note=f"shingle-simtest --seeds {SEEDS}; " + spread(ratios))
    other = [key for key in SWARM_TOTALS if before[key] != after[key]]
    found.put("swarm_totals_differing", len(other), note=", ".join(other) or f"of {', '.join(SWARM_TOTALS)} of these seeds")


def measure(found, options):
    old, new = trees.old(options.against), trees.new()
    compare_one_node(found, old, new, options.pairs)
    compare_swarm(found, old, new, options.pairs)
