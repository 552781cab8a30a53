"""Plans and runs, and what they say in figures."""
import dataclasses
import json
import statistics
import subprocess
import time

from . import site


@dataclasses.dataclass
class Planned:
    """What the planner says: the file, its hash and its prediction."""
    path: str
    hash: str
    latency_s: float
    period_s: float
    macs: int
    wire_bytes: int
    told: dict  # all of it

    def turn(self):
        """Frames in a round of the plans that take turns."""
        return sum(plan["share"] for plan in self.told["plans"])


def bench_plan():
    """The JSON object of `tools/bench plan`, whether or not it reached its targets."""
    done = subprocess.run([site.ROOT / "build/release/bench/bench-plan", "--json"], capture_output=True, text=True, check=False, timeout=600)
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise site.BenchError(f"bench-plan ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(lines[-1])


def plan(model, cluster, *options, name="bench", owner=0):
    """For frames captured at `owner`; one open at a time, if `options` do not say otherwise."""
    path = site.FOLDER / f"{name}.plan"
    opened = [] if "--open-frames" in options else ["--open-frames", 1]
    told = json.loads(site.call(site.PROGRAM, "plan", model, "--cluster", cluster, "--owner", owner, "--head", "raw", "--json", "--out", path, *opened, *options))
    each = [plan["share"] * sum(tile["macs"] for block in plan["blocks"] for tile in block["tiles"]) for plan in told["plans"]]
    macs = sum(each) // sum(plan["share"] for plan in told["plans"])
    return Planned(path, "+".join(plan["plan"] for plan in told["plans"]), told["latency_ms"] * 1e-3, told["period_ms"] * 1e-3, macs, told["wire_bytes"], told)


@dataclasses.dataclass
class Ran:
    """What a run measured."""
    latencies_s: list
    delivered_s: list  # when each frame's line came; only differences mean something
    nodes: list  # reports, the owner's too
    wire_bytes_per_frame: int
    identical: object
    paced_tiles: int
    overruns: int

    def latency_s(self, skip=1):
        """The median, without the frames that warm caches up."""
        return statistics.median(self.latencies_s[skip:] or self.latencies_s)

    def period_s(self, warm_up, drain, turn=1):
        """Between deliveries in the steady state, over whole rounds of a rotation of `turn` frames: within a round they differ."""
        times = self.delivered_s[warm_up:len(self.delivered_s) - drain]
        periods = (len(times) - 1) // turn * turn
        if periods <= 0:
            raise site.BenchError(f"{len(times)} steady frames are less than a round of {turn}")
        return (times[periods] - times[0]) / periods

    def buffer_bytes(self):
        """Canvases and what kernels hold beside their weights: of the node that holds most."""
        return max(node["memory"]["canvas_peak_bytes"] + node["memory"]["executor_peak_bytes"] - node["memory"]["packed_bytes"]
                   for node in self.nodes)


def run(lab, model, pictures, *options, planned=None, owner=0, pace=(), frames=None):
    words = lab.command("run", "--owner", owner, *(word for each in pace for word in ("--pace", each)), model, pictures,
                        "--json", "--head", "raw", *options)
    words += ["--plan", str(planned.path)] if planned else []
    words += ["--frames", str(frames)] if frames else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = [(time.monotonic(), json.loads(line)) for line in process.stdout]
        trouble = process.stderr.read()
    if process.returncode != 0:
        raise site.BenchError(f"'{' '.join(words)}' ended with {process.returncode}: {trouble.strip()[-500:]}")
    return of_lines(lines)


def of_lines(lines):
    told = [line for _, line in lines]
    summary = next(line for line in told if "nodes" in line)
    others = next(line for line in told if "lab_nodes" in line)["lab_nodes"]
    failed = [node for node in others if "failed" in node]
    if failed:
        raise site.BenchError(f"node {failed[0]['node']} failed: {failed[0]['failed']}")
    nodes = [line for line in told if "memory" in line] + others
    paces = [node["pace"] for node in nodes if "pace" in node]
    return Ran([line["ms"] * 1e-3 for line in told if "ms" in line], [at for at, line in lines if "ms" in line], nodes,
               sum(node["payload_bytes_sent"] for node in nodes) // summary["frames"], summary["identical"], sum(pace["tiles"] for pace in paces),
               sum(pace["overruns"] for pace in paces))
